import { Quota } from '#infra/platform/scheduling/quota.js';

/** Metric results, and their bytes, that a tenant may send in an hour (`LOGBOOK_QUOTA_TENANT_…`), in this process. */
export class TenantQuota extends Quota {}
