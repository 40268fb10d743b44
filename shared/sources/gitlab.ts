import { fieldAt, headerOf, requiredTextAt, rowOf, textAt, timeAndDelivery, timeAt } from "./field.ts";
import type { Source } from "./source.ts";
import { segmentsOf, subjectOf } from "./subject.ts";

/** GitLab's verbs, in the words events are named by here. Others stay as they are. */
const eventTypes: Readonly<Record<string, string>> = {
  open: "created",
  create: "created",
  update: "updated",
  close: "closed",
  reopen: "reopened",
  merge: "merged",
  delete: "deleted",
  approval: "approval_added",
  unapproval: "approval_removed",
  award: "awarded",
  revoke: "revoked",
};

interface KindRow {
  readonly objectType?: string;
  /** Where it says what happened; the first that holds something. */
  readonly happened?: readonly string[];
  /** For payloads that do not say, such as those of GitLab's test button. */
  readonly otherwise?: string;
  readonly id: string;
  /** GitLab's own way to write a reference: `group/project#23`, `group/project!7`. */
  readonly sign?: "#" | "!" | "@";
  readonly times: readonly string[];
}

const action = ["object_attributes.action"];
const attributeTimes = ["object_attributes.updated_at", "object_attributes.created_at"];
const numbered = {
  happened: action,
  otherwise: "updated",
  id: "object_attributes.iid",
  times: attributeTimes,
};

/** What each `object_kind` is about. */
const kinds: Readonly<Record<string, KindRow>> = {
  issue: { ...numbered, sign: "#" },
  work_item: { ...numbered, sign: "#" },
  merge_request: { ...numbered, sign: "!" },
  note: { happened: action, otherwise: "created", id: "object_attributes.id", times: attributeTimes },
  milestone: { happened: action, otherwise: "updated", id: "object_attributes.iid", times: attributeTimes },
  wiki_page: { happened: action, otherwise: "updated", id: "object_attributes.slug", times: [] },
  push: { id: "ref", sign: "@", times: [] },
  tag_push: { id: "ref", sign: "@", times: [] },
  pipeline: {
    happened: ["object_attributes.status"],
    id: "object_attributes.id",
    times: ["object_attributes.finished_at", "object_attributes.created_at"],
  },
  build: {
    objectType: "job",
    happened: ["build_status"],
    id: "build_id",
    times: ["build_finished_at", "build_started_at", "build_created_at"],
  },
  deployment: { happened: ["status"], id: "deployment_id", times: ["status_changed_at"] },
  release: { happened: ["action"], otherwise: "updated", id: "tag", sign: "@", times: ["released_at"] },
  emoji: { happened: ["event_type"], id: "object_attributes.id", times: attributeTimes },
  feature_flag: { id: "object_attributes.name", times: [] },
};

export const gitlab: Source = {
  name: "gitlab",
  schemes: ["gitlab-token", "standard-webhooks"],
  normalise(webhook, data) {
    const kindField = fieldAt(data, "object_kind") === undefined ? "event_name" : "object_kind";
    const [kind] = segmentsOf(requiredTextAt(data, kindField), kindField);
    const row = rowOf(kinds, kind) ?? guess(data);
    const objectType = row.objectType ?? kind;
    const verb = textAt(data, ...(row.happened ?? [])) ?? row.otherwise;
    const happened = verb === undefined ? [] : segmentsOf(rowOf(eventTypes, verb) ?? verb, "action");
    // Not X-Gitlab-Event-UUID: hooks that trigger each other share it.
    const deliveryId = headerOf(webhook, "Idempotency-Key") ?? headerOf(webhook, "webhook-id");
    return {
      subject: subjectOf("gitlab", kindField, objectType, ...happened),
      objectType,
      objectId: objectIdOf(data, objectType, row),
      eventType: happened.length === 0 ? kind : happened.join("."),
      ...timeAndDelivery(timeAt(data, ...row.times), deliveryId),
    };
  },
};

function objectIdOf(data: unknown, objectType: string, { id, sign }: KindRow): string {
  const value = requiredTextAt(data, id);
  // An epic belongs to a group and has no project.
  const scope = textAt(data, "project.path_with_namespace", "group.full_path", "project_id", "group_id");
  if (sign !== undefined)
    return `${scope ?? requiredTextAt(data, "project.path_with_namespace")}${sign}${value}`;
  return [...(scope === undefined ? [] : [scope]), objectType, value].join("/");
}

/** Kinds without a row, such as members of a group, differ in where they keep their id. */
function guess(data: unknown): KindRow {
  const candidates = ["object_attributes.iid", "object_attributes.id", "user_id", "group_id", "project_id"];
  const id = candidates.find((path) => textAt(data, path) !== undefined) ?? "object_attributes.id";
  return { happened: action, id, times: [...attributeTimes, "updated_at", "created_at"] };
}
