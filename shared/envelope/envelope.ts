/**
 * The message every part passes on: a CloudEvents 1.0 event in its JSON format. Attribute names are lower case and
 * without separators, as the specification wants them.
 */
export interface Envelope {
  readonly specversion: "1.0";
  /** Of a webhook: the same for every delivery of it, see `ingest/`. */
  readonly id: string;
  /** `/connections/<id>`, or the part of the platform that made the event. */
  readonly source: string;
  /** What routes match: `github.events.pull_request.opened`. */
  readonly type: string;
  /** `<objecttype>/<objectid>`. */
  readonly subject: string;
  /** When it happened at the source; where the source does not say, when it was received. */
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly tenantid: string;
  readonly connectionid: string;
  /** The vendor: `github`. */
  readonly sourcesystem: string;
  readonly objecttype: string;
  readonly objectid: string;
  /** What happened to the object: `opened`. */
  readonly eventtype: string;
  readonly correlationid: string;
  /** The id of the event this one was made from. */
  readonly causationid?: string;
  readonly traceparent: string;
  /** sha256 of the exact bytes received, in hex. */
  readonly payloadhash: string;
  readonly receivedat: string;
  /** Name of the blob with the exact bytes, where they are too large to travel: then there is no `data`. */
  readonly dataref?: string;
  readonly data?: unknown;
}
