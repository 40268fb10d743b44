import type { Sample, Samples } from "./sample.ts";

const configuration = "nc-AeUQ2zfKZzW9TiGZ";

/** Not an event: what a notification sends when it is switched on. */
export const terraformVerification = {
  payload_version: 1,
  notification_configuration_id: configuration,
  run_url: null,
  run_id: null,
  run_message: null,
  run_created_at: null,
  run_created_by: null,
  workspace_id: null,
  workspace_name: null,
  organization_name: null,
  notifications: [
    {
      message: "Verification of test",
      trigger: "verification",
      run_status: null,
      run_updated_at: null,
      run_updated_by: null,
    },
  ],
};

export const terraformCloudSamples: Samples = (delivery) => {
  const run = (trigger: string, status: string): Sample => ({
    subject: `tfc.events.run.${trigger}`,
    objectType: "run",
    objectId: `run-${delivery}`,
    eventType: trigger,
    eventTime: "2025-11-18T18:37:04.000Z",
    deliveryId: `${configuration}|run:${trigger}|run-${delivery}|2025-11-18T18:37:04.000Z`,
    headers: {},
    payload: {
      payload_version: 1,
      notification_configuration_id: configuration,
      run_url: `https://app.terraform.io/app/acme-org/my-workspace/runs/run-${delivery}`,
      run_id: `run-${delivery}`,
      run_message: "Add five new queue workers",
      run_created_at: "2025-11-18T18:34:00.000Z",
      run_created_by: "sample-user",
      workspace_id: "ws-XdeUVMWShTesDMME",
      workspace_name: "my-workspace",
      organization_name: "acme-org",
      notifications: [
        {
          message: "Run",
          trigger: `run:${trigger}`,
          run_status: status,
          run_updated_at: "2025-11-18T18:37:04.000Z",
          run_updated_by: "sample-user",
        },
      ],
    },
  });
  return [
    run("completed", "applied"),
    run("created", "pending"),
    run("planning", "planning"),
    run("needs_attention", "planned"),
    run("applying", "applying"),
    run("errored", "canceled"),
    {
      subject: "tfc.events.assessment.drifted",
      objectType: "assessment",
      objectId: "ws-XdeUVMWShTesDMME",
      eventType: "drifted",
      eventTime: "2025-11-18T05:23:10.000Z",
      deliveryId: `${configuration}|assessment:drifted|asmtres-${delivery}`,
      headers: {},
      payload: {
        payload_version: "2",
        notification_configuration_id: configuration,
        trigger_scope: "assessment",
        trigger: "assessment:drifted",
        message: "Drift Detected",
        details: {
          new_assessment_result: {
            id: `asmtres-${delivery}`,
            succeeded: true,
            drifted: true,
            created_at: "2025-11-18T05:23:10Z",
          },
          prior_assessment_result: null,
          workspace_id: "ws-XdeUVMWShTesDMME",
          workspace_name: "my-workspace",
          organization_name: "acme-org",
        },
      },
    },
    {
      subject: "tfc.events.workspace.auto_destroy_reminder",
      objectType: "workspace",
      objectId: "acme-org/learned-english-dog",
      eventType: "auto_destroy_reminder",
      deliveryId: `${configuration}|workspace:auto_destroy_reminder|acme-org/learned-english-dog|2026-01-01T00:00:00Z`,
      headers: {},
      payload: {
        payload_version: "2",
        notification_configuration_id: configuration,
        trigger_scope: "workspace",
        trigger: "workspace:auto_destroy_reminder",
        message: "Auto Destroy Reminder",
        details: {
          auto_destroy_at: "2026-01-01T00:00:00Z",
          run_created_at: null,
          run_status: null,
          run_external_id: null,
          trigger_type: "reminder",
          workspace_name: "learned-english-dog",
          organization_name: "acme-org",
        },
      },
    },
  ];
};
