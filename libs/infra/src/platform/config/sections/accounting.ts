import { IsOptional, Matches } from 'class-validator';
import { OptionalText, secondsOf } from '#infra/platform/config/checks.js';

/** External catalogues of the accounting service, and what is pushed to it. */
export class AccountingVariables {
  /** The external catalogue of projects. */
  @IsOptional()
  @Matches(/^https?:\/\/.+/, { message: 'must be an http:// or https:// URL' })
  LOGBOOK_PROJECT_CATALOGUE?: string;

  /** The external catalogue of providers: a URL, or the path of a JSON file. */
  @OptionalText()
  LOGBOOK_PROVIDER_CATALOGUE?: string;

  /** Interval between reads of the catalogue of providers. */
  @Matches(/^[1-9]\d{0,5}(s|m|h|d)$/, { message: 'must be a number with s, m, h or d' })
  LOGBOOK_PROVIDER_CATALOGUE_INTERVAL = '24h';

  /** Accepted `Authorization` values of the accounting service's push listener, separated by commas. */
  @OptionalText()
  LOGBOOK_AMS_LISTENER_SECRETS?: string;

  /** Project of pushed providers and installations. */
  @OptionalText()
  LOGBOOK_AMS_LISTENER_PROJECT?: string;

  /** Answer of `/ams_verification_hash`, for the messaging service that pushes. */
  @OptionalText()
  LOGBOOK_AMS_VERIFICATION_HASH?: string;
}

export const accountingSettings = (given: AccountingVariables) => ({
  projectCatalogue: given.LOGBOOK_PROJECT_CATALOGUE,
  providerCatalogue: given.LOGBOOK_PROVIDER_CATALOGUE,
  providerCatalogueSeconds: secondsOf(given.LOGBOOK_PROVIDER_CATALOGUE_INTERVAL),
  amsListenerSecrets: (given.LOGBOOK_AMS_LISTENER_SECRETS ?? '').split(',').filter((secret) => secret !== ''),
  amsListenerProject: given.LOGBOOK_AMS_LISTENER_PROJECT,
  amsVerificationHash: given.LOGBOOK_AMS_VERIFICATION_HASH,
});
