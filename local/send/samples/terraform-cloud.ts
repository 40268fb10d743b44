import type { Sample, Samples } from "../vendor.ts";

const configuration = "nc-AeUQ2zfKZzW9TiGZ";
const workspace = {
  workspace_id: "ws-XdeUVMWShTesDMME",
  workspace_name: "my-workspace",
  organization_name: "acme-org",
};

const run = (trigger: string, status: string): Sample => ({
  payload: ({ digits, at }) => ({
    payload_version: 1,
    notification_configuration_id: configuration,
    run_url: `https://app.terraform.io/app/acme-org/my-workspace/runs/run-${digits.slice(0, 16)}`,
    run_id: `run-${digits.slice(0, 16)}`,
    run_message: "Add five new queue workers",
    run_created_at: at.toISOString(),
    run_created_by: "sample-user",
    ...workspace,
    notifications: [
      {
        message: `Run ${status}`,
        trigger: `run:${trigger}`,
        run_status: status,
        run_updated_at: at.toISOString(),
        run_updated_by: "sample-user",
      },
    ],
  }),
});

export const terraformCloudSamples: Samples = {
  "run.completed": run("completed", "applied"),
  "run.errored": run("errored", "errored"),
  "run.needs_attention": run("needs_attention", "planned"),
  "assessment.drifted": {
    payload: ({ digits, at }) => ({
      payload_version: "2",
      notification_configuration_id: configuration,
      trigger_scope: "assessment",
      trigger: "assessment:drifted",
      message: "Drift Detected",
      details: {
        new_assessment_result: {
          id: `asmtres-${digits.slice(0, 16)}`,
          succeeded: true,
          drifted: true,
          created_at: at.toISOString(),
        },
        prior_assessment_result: null,
        ...workspace,
      },
    }),
  },
  /** Sent when a notification is switched on. It is answered, and is no event. */
  verification: {
    payload: () => ({
      payload_version: 1,
      notification_configuration_id: configuration,
      run_url: null,
      run_id: null,
      workspace_id: null,
      notifications: [{ message: "Verification of test", trigger: "verification", run_status: null }],
    }),
  },
};
