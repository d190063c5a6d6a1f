import { Quota } from '#infra/platform/scheduling/quota.js';

/** Messages and bytes that a project may publish in an hour (`LOGBOOK_QUOTA_PROJECT_…`), in this process. */
export class ProjectQuota extends Quota {}
