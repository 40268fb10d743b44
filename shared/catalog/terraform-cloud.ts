import type { SourceCatalog } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const details: Fields = {
  notification_configuration_id: "string",
  trigger_scope: "string",
  trigger: "string",
  message: "string?",
  "details.workspace_name": "string",
  "details.organization_name": "string",
};

/** https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations */
export const terraformCloud: SourceCatalog = {
  source: "terraform-cloud",
  prefix: "tfc",
  rows: [
    {
      event: "run",
      title: "A run changed its state",
      actions: ["created", "planning", "needs_attention", "applying", "completed", "errored"],
      fields: {
        payload_version: "integer",
        notification_configuration_id: "string",
        run_id: "string",
        run_url: "string?",
        run_message: "string|null?",
        workspace_id: "string",
        workspace_name: "string",
        organization_name: "string",
        "notifications[].trigger": "string",
        "notifications[].run_status": "string",
        "notifications[].run_updated_at": "string",
      },
    },
    {
      event: "assessment",
      title: "A workspace was assessed",
      actions: ["drifted", "check_failure", "failed"],
      fields: {
        ...details,
        "details.workspace_id": "string",
        "details.new_assessment_result.id": "string",
        "details.new_assessment_result.drifted": "boolean|null?",
        "details.new_assessment_result.created_at": "string?",
      },
    },
    {
      event: "workspace",
      title: "A workspace is destroyed by its schedule",
      actions: ["auto_destroy_reminder", "auto_destroy_results", "auto_destroy_run_results"],
      fields: {
        ...details,
        "details.auto_destroy_at": "string|null?",
        "details.run_status": "string|null?",
        "details.run_external_id": "string|null?",
      },
    },
    {
      event: "change_request",
      title: "A change request was made for a team",
      actions: ["created"],
      fields: {
        notification_configuration_id: "string",
        change_request_url: "string",
        change_request_subject: "string?",
        workspace_name: "string?",
      },
    },
  ],
};
