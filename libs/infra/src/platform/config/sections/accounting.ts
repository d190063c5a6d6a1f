import { combined, duration, flag, matching, secondsOf, text, variable } from '#infra/platform/config/variables.js';

/** External catalogues of the accounting service, and what is pushed to it. */
export const accountingSettings = {
  /** The external catalogue of projects. */
  projectCatalogue: variable('LOGBOOK_PROJECT_CATALOGUE', matching(/^https?:\/\/.+/, 'must be an http:// or https:// URL')),
  /** The external catalogue of providers: a URL, or the path of a JSON file. */
  providerCatalogue: variable('LOGBOOK_PROVIDER_CATALOGUE', text),
  /** Interval between reads of the catalogue of providers. */
  providerCatalogueSeconds: variable(
    'LOGBOOK_PROVIDER_CATALOGUE_INTERVAL',
    duration(/^[1-9]\d{0,5}(s|m|h|d)$/, 'must be a number with s, m, h or d'),
    secondsOf('24h'),
  ),
  /** Reports as CSV have cells as stored, also those that a spreadsheet takes for formulas. */
  accountingCsvExact: variable('LOGBOOK_ACCOUNTING_CSV_EXACT', flag, false),
  /** Accepted `Authorization` values of the accounting service's push listener. */
  amsListenerSecrets: combined({ secrets: variable('LOGBOOK_AMS_LISTENER_SECRETS', text, '') }, ({ secrets }) =>
    secrets
      .split(',')
      .map((secret) => secret.trim())
      .filter((secret) => secret !== ''),
  ),
  /** Project of pushed providers and installations. */
  amsListenerProject: variable('LOGBOOK_AMS_LISTENER_PROJECT', text),
  /** Answer of `/ams_verification_hash`, for the messaging service that pushes. */
  amsVerificationHash: variable('LOGBOOK_AMS_VERIFICATION_HASH', text),
};
