import { app } from "@azure/functions";

import type { Answer } from "../shared/api/answer.ts";
import * as endpoints from "../shared/api/endpoints/config.ts";
import { fitting } from "../shared/api/invalid.ts";
import { decodeSequence, encodeCursor } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { exportArtifact, readArtifact } from "../shared/config/artifact.ts";
import { configHash } from "../shared/config/config-hash.ts";
import { diffConfigs } from "../shared/config/diff.ts";
import { auditOf, replaceConfig, type Replaced } from "../shared/config/replace-config.ts";
import { surroundingsOf } from "../shared/config/surroundings-of.ts";
import { validateConfig } from "../shared/config/validate.ts";
import { Fault } from "../shared/faults.ts";
import { listVersions, readHead, readVersion } from "../shared/ledgers/configs.ts";
import { explainRequest } from "../shared/routing/explain-request.ts";
import { services } from "../shared/services.ts";

