import { IsString, IsUrl, Matches } from 'class-validator';
import { List, OptionalKey, OptionalText } from '#infra/platform/config/checks.js';

/** Keys, first administrators, and issuers of tokens. */
export class AccessVariables {
  /** Encrypts the keys of secrets and personal data in the log; must be the same on every node. */
  @OptionalKey()
  LOGBOOK_MASTER_KEY?: string;

  @OptionalText()
  LOGBOOK_MESSAGING_SERVICE_TOKEN?: string;

  @OptionalText()
  LOGBOOK_ACCOUNTING_ADMIN_TOKEN?: string;

  @OptionalText()
  LOGBOOK_STATUS_ADMIN_KEY?: string;

  @OptionalText()
  LOGBOOK_OPS_KEY?: string;

  /** OpenID Connect issuers whose tokens the accounting service accepts; keys are fetched over https, or http on this machine. */
  @Matches(/^(https:\/\/|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$))[^\s@]*$/i, {
    each: true,
    message: 'must be https URLs (http on loopback), separated by commas',
  })
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }, { each: true, message: 'must be URLs' })
  @List()
  LOGBOOK_OIDC_ISSUERS: readonly string[] = [];

  /** Accepted audiences: the claim `aud` of an issuer's token must name one of them. */
  @Matches(/^\S(.{0,254}\S)?$/, { each: true, message: 'must be texts without blanks at their ends, separated by commas' })
  @List()
  LOGBOOK_OIDC_AUDIENCE: readonly string[] = [];

  /** Prefix of entitlement names: `<namespace>:group:<parent>`. */
  @IsString()
  LOGBOOK_ENTITLEMENT_NAMESPACE = 'urn:geant:sandbox.eosc-beyond.eu:core:integration:group';

  @IsString()
  LOGBOOK_ENTITLEMENT_PARENT = 'accounting';
}

export const accessSettings = (given: AccessVariables) => ({
  /** 32 bytes in base64. */
  masterKey: given.LOGBOOK_MASTER_KEY,
  messagingServiceToken: given.LOGBOOK_MESSAGING_SERVICE_TOKEN,
  accountingAdminToken: given.LOGBOOK_ACCOUNTING_ADMIN_TOKEN,
  statusAdminKey: given.LOGBOOK_STATUS_ADMIN_KEY,
  opsKey: given.LOGBOOK_OPS_KEY,
  oidcIssuers: given.LOGBOOK_OIDC_ISSUERS,
  /** Empty: not checked. */
  oidcAudiences: given.LOGBOOK_OIDC_AUDIENCE,
  entitlementNamespace: given.LOGBOOK_ENTITLEMENT_NAMESPACE,
  entitlementParent: given.LOGBOOK_ENTITLEMENT_PARENT,
});
