import { clientSubject, oidcTenantSubject } from '#domain/accounting/access/access-events.js';
import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTS_STREAM, registrationSubject, userSubject } from '#domain/messaging/accounts/account-events.js';
import { subscriptionSubject } from '#domain/messaging/resources/subscriptions.js';
import type { CatalogueOf, Mentions } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import { RECOMPUTATIONS_CATEGORY, recomputationSubject, recomputationsOf } from '#domain/status/recomputations/recomputations.js';
import { TENANTS_CATEGORY, tenantSubject, userSubject as tenantUserSubject } from '#domain/status/tenants/tenants.js';

/** Records whose personal data and secrets can be erased, with the subject whose key seals them (operations contract 4). */
const SUBJECTS = {
  messaging: { user: userSubject, registration: registrationSubject, subscription: subscriptionSubject },
  accounting: { client: clientSubject, oidc_tenant: oidcTenantSubject, installation: installationSubject },
  status: { tenant: tenantSubject, user: tenantUserSubject, recomputation: recomputationSubject },
} as const satisfies Readonly<Record<string, Readonly<Record<string, (id: string) => string>>>>;

export type ErasableService = 'messaging' | 'accounting' | 'status';
/** Kinds of records that can be erased on request. Installations are erased by their deletion only. */
export const ERASABLE: Readonly<Record<ErasableService, readonly string[]>> = {
  messaging: Object.keys(SUBJECTS.messaging),
  accounting: Object.keys(SUBJECTS.accounting).filter((kind) => kind !== 'installation'),
  status: Object.keys(SUBJECTS.status),
};

export type ErasableRecord = Readonly<{ service: ErasableService; kind: string; id: string }>;

/** Subject of a record. @throws TypeError for another kind */
export const subjectOfRecord = ({ service, kind, id }: ErasableRecord): string => {
  const kinds: Readonly<Record<string, (id: string) => string>> = SUBJECTS[service];
  const subject = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (!subject) throw new TypeError(`${service} has no ${kind}`);
  return subject(id);
};

/**
 * Id of the record of a subject, in lists of erasures; the subject itself if {@link ERASABLE} does not list the kind, because every release reads
 * that.
 */
export const idOfSubject = ({ service, kind, subject }: Readonly<Omit<ErasableRecord, 'id'> & { subject: string }>): string =>
  ERASABLE[service].includes(kind) ? subject.slice(subjectOfRecord({ service, kind, id: '' }).length) : subject;

/** `reason` is the operator's, and stays: it holds no personal data. Who asked is in the metadata. */
export type SubjectErased = Readonly<{
  type: 'SubjectErased';
  data: ErasableRecord & Readonly<{ erasureId: string; subject: string; reason: string }>;
}>;

export const ERASURES_CATEGORY = 'ops.erasures';
export const ERASURES_STREAM = `${ERASURES_CATEGORY}-global`;

/** The users and recomputations of a tenant are shown as parts of it. */
const partsOfTenant = (tenantId: unknown): Mentions => ({
  in: { categories: [TENANTS_CATEGORY, RECOMPUTATIONS_CATEGORY] },
  subjects: (event) => {
    const { type, data } = event;
    const isUser = type === 'TenantUserAdded' && data.tenantId === tenantId;
    return isUser ? [tenantUserSubject(data.userId)] : recomputationsOf(tenantId).subjects(event);
  },
});

/** The registration of a messaging user has the same personal data. */
const registrationOf = (userId: unknown): Mentions => ({
  in: { stream: ACCOUNTS_STREAM },
  subjects: ({ type, data }) =>
    type === 'RegistrationAccepted' && data.userId === userId ? [registrationSubject(data.registrationId)] : [],
});

export const erasureEvents: CatalogueOf<SubjectErased> = {
  SubjectErased: {
    resource: none,
    forgets: ({ subject }) => [String(subject)],
    forgetsMentioned: ({ service, kind, id }) => {
      if (service === 'status' && kind === 'tenant') return partsOfTenant(id);
      return service === 'messaging' && kind === 'user' ? registrationOf(id) : undefined;
    },
  },
};

export type EraseSubject = Readonly<{ type: 'EraseSubject'; record: ErasableRecord; erasureId: string; reason: string }>;

type ErasuresState = Readonly<{ erased: Set<string> }>;

/** A subject is erased once. A repeated command records nothing. */
export const erasures: Decider<ErasuresState, EraseSubject, SubjectErased> = {
  snapshots: { name: 'erasures', version: 1 },
  initialState: () => ({ erased: new Set() }),
  decide: ({ record: { service, kind, id }, erasureId, reason }, { erased }) => {
    const subject = subjectOfRecord({ service, kind, id });
    return erased.has(subject) ? [] : [{ type: 'SubjectErased', data: { erasureId, service, kind, id, subject, reason } }];
  },
  evolve: (state, { data }) => {
    state.erased.add(data.subject);
    return state;
  },
};
