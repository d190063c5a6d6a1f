import type { Decimal } from '#domain/accounting/decimal.js';
import type { Instant } from '#domain/accounting/metrics/instants.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import type { DefinitionDocument } from '#projections/accounting/definitions/queries.js';

export type PeriodUsage = Readonly<{ from: Instant; to: Instant; total: Decimal; capacity?: Decimal; percentage?: Decimal }>;
export type DefinitionUsage = Readonly<{ definition: DefinitionDocument; periods: readonly PeriodUsage[] }>;
export type InstallationUsage = Readonly<{ installation: InstallationDocument; data: readonly DefinitionUsage[] }>;
