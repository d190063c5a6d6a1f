import { isUrl, key, list, text, variable } from '#infra/platform/config/variables.js';

const SAFE_ISSUER = /^(https:\/\/|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$))[^\s@]*$/i;
const issuers = list(
  [isUrl, 'must be URLs'],
  [(one) => SAFE_ISSUER.test(one), 'must be https URLs (http on loopback), separated by commas'],
);

/** Keys, first administrators, and issuers of tokens. */
export const accessSettings = {
  /** 32 bytes in base64. Encrypts the keys of secrets and personal data in the log; must be the same on every node. */
  masterKey: variable('LOGBOOK_MASTER_KEY', key),
  messagingServiceToken: variable('LOGBOOK_MESSAGING_SERVICE_TOKEN', text),
  accountingAdminToken: variable('LOGBOOK_ACCOUNTING_ADMIN_TOKEN', text),
  statusAdminKey: variable('LOGBOOK_STATUS_ADMIN_KEY', text),
  opsKey: variable('LOGBOOK_OPS_KEY', text),
  /** OpenID Connect issuers whose tokens the accounting service accepts; keys are fetched over https, or http on this machine. */
  oidcIssuers: variable('LOGBOOK_OIDC_ISSUERS', issuers, []),
  /** Accepted audiences: the claim `aud` of an issuer's token must name one of them. Empty: not checked. */
  oidcAudiences: variable(
    'LOGBOOK_OIDC_AUDIENCE',
    list([(one) => /^\S(.{0,254}\S)?$/.test(one), 'must be texts without blanks at their ends, separated by commas']),
    [],
  ),
  /** Prefix of entitlement names: `<namespace>:group:<parent>`. */
  entitlementNamespace: variable('LOGBOOK_ENTITLEMENT_NAMESPACE', text, 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group'),
  entitlementParent: variable('LOGBOOK_ENTITLEMENT_PARENT', text, 'accounting'),
};
