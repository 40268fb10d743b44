import type { FailureClass } from "../failures/classes.ts";

interface ErrorRow {
  readonly code: string;
  /** Codes of the operating system, Node, undici and the guard. */
  readonly from: readonly string[];
  readonly classification: FailureClass;
  readonly meaning: string;
}

/** What a request without an answer is taken for. Whether it may have happened depends on how far it came. */
export const errorTable: readonly ErrorRow[] = [
  {
    code: "ADDRESS_BLOCKED",
    from: ["ADDRESS_BLOCKED"],
    classification: "Poison",
    meaning: "the host has no address that requests may go to",
  },
  {
    code: "HTTPS_REQUIRED",
    from: ["HTTPS_REQUIRED"],
    classification: "Poison",
    meaning: "the address is not https",
  },
  {
    code: "CONFIG_INVALID",
    from: [
      "CONFIG_INVALID",
      "URL_INVALID",
      "ERR_INVALID_URL",
      "UND_ERR_INVALID_ARG",
      "UND_ERR_NOT_SUPPORTED",
    ],
    classification: "Poison",
    meaning: "the route asks for a request that cannot be made",
  },
  {
    code: "TLS_INVALID",
    from: [
      "CERT_CHAIN_TOO_LONG",
      "CERT_HAS_EXPIRED",
      "CERT_NOT_YET_VALID",
      "CERT_REJECTED",
      "CERT_REVOKED",
      "CERT_SIGNATURE_FAILURE",
      "CERT_UNTRUSTED",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "ERR_TLS_CERT_ALTNAME_FORMAT",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "HOSTNAME_MISMATCH",
      "INVALID_CA",
      "INVALID_PURPOSE",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    classification: "Poison",
    meaning: "the certificate of the host does not hold",
  },
  {
    code: "DNS_FAILED",
    from: ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME", "ENODATA", "ESERVFAIL"],
    classification: "Transient",
    meaning: "the host's name could not be resolved",
  },
  {
    code: "UNREACHABLE",
    from: ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "EADDRNOTAVAIL"],
    classification: "Transient",
    meaning: "the host takes no connection",
  },
  {
    code: "CONNECTION_LOST",
    from: ["ECONNRESET", "ECONNABORTED", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_DESTROYED", "UND_ERR_CLOSED"],
    classification: "Transient",
    meaning: "the connection broke before the answer",
  },
  {
    code: "TIMEOUT",
    from: ["TIMEOUT", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"],
    classification: "Transient",
    meaning: "there was no answer in time",
  },
];

/** For what has no row: an answer that is no HTTP, a broken TLS record. */
export const noAnswer: ErrorRow = {
  code: "NO_ANSWER",
  from: [],
  classification: "Transient",
  meaning: "there was no answer that could be read",
};

const rows = new Map(errorTable.flatMap((row) => row.from.map((code) => [code, row])));

export function meaningOf(code: string): ErrorRow {
  return rows.get(code) ?? noAnswer;
}
