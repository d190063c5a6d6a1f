import { randomBytes } from 'node:crypto';
import type { AccountCommand, NewToken, Profile, ProjectRoles } from '#domain/messaging/accounts/account-commands.js';
import {
  ACCOUNTS_STREAM,
  type AccountEvent,
  type Component,
  type Creator,
  componentOf,
  type PersonalData,
} from '#domain/messaging/accounts/account-events.js';
import { componentKey } from '#domain/messaging/accounts/account-state.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import { isMessagingRole } from '#domain/messaging/accounts/roles.js';
import { wireInstant } from '#projections/messaging/layout.js';
import { DocumentRefused, type ExportedDocument, LeftOut, madeAt, type TakeDocument } from '../migration.js';
import { dateIn, type Fields, fieldsListIn, nameIn, textIn, textsIn } from '../read/fields.js';
import type { HistoricalEvent } from '../write/log-writer.js';
import { type Directory, pathNameIn, uuidIn } from './directory.js';
import { byId, byIds, createdAt, type MessagingMigration, type MessagingRow } from './row.js';

const to = { stream: ACCOUNTS_STREAM, decider: accounts };

/** The user who created it. The service token, which is not a user, is an empty text in the original. */
const creatorIn = (fields: Fields, name: string): Creator => textIn(fields, name) || null;

const personalIn = (fields: Fields): PersonalData => ({
  firstName: textIn(fields, 'first_name'),
  lastName: textIn(fields, 'last_name'),
  organization: textIn(fields, 'organization'),
  email: textIn(fields, 'email'),
});

const profileIn = (fields: Fields, name: string): Profile => ({
  ...personalIn(fields),
  name,
  description: textIn(fields, 'description'),
});

/** Time of its last change after creation; `undefined` if it never changed. */
const revisedAt = (fields: Fields): string | undefined => {
  const modified = dateIn(fields, 'modified_on');
  return modified !== undefined && modified > createdAt(fields) ? modified : undefined;
};

const takeProject =
  ({ writer, found }: MessagingMigration): TakeDocument =>
  async ({ fields, origin }) => {
    const projectId = uuidIn(fields);
    const [name, description] = [pathNameIn(fields), textIn(fields, 'description')];
    const create = { type: 'CreateProject', projectId, name, description, by: creatorIn(fields, 'created_by') } as const;
    const revise = { type: 'ReviseProject', projectId, name, description } as const;
    const revised = revisedAt(fields);
    const steps = [{ command: create, time: createdAt(fields) }, ...(revised === undefined ? [] : [{ command: revise, time: revised }])];
    const written = await writer.decide({ origin, ...to, steps });
    found.projects.set(projectId, name);
    return written;
  };

/** Known roles in existing projects; one entry per project. */
const rolesIn = ({ report, found }: MessagingMigration, { fields, place }: ExportedDocument): readonly ProjectRoles[] => {
  const byProject = new Map<string, Set<string>>();
  for (const membership of fieldsListIn(fields, 'projects')) {
    const projectId = textIn(membership, 'project_uuid');
    const project = found.projects.get(projectId);
    if (project === undefined) {
      report.changed(place, `roles in project ${projectId} are left out: it is not there`);
      continue;
    }
    const roles = byProject.get(project) ?? new Set();
    byProject.set(project, roles);
    for (const role of knownRoles(report, place, textsIn(membership, 'roles'))) roles.add(role);
  }
  return [...byProject].map(([project, roles]) => ({ project, roles: [...roles] }));
};

const knownRoles = (report: MessagingMigration['report'], place: ExportedDocument['place'], roles: readonly string[]): readonly string[] =>
  roles.filter((role) => {
    if (!isMessagingRole(role)) report.changed(place, `role ${role} is left out: there is no such role`);
    return isMessagingRole(role);
  });

/** SHA-256 of a text, in hexadecimal digits. */
const DIGEST = /^[0-9a-f]{64}$/i;

/** SHA-256 of the token, as stored by releases since 1.8, in lower case; `undefined` if there is none. */
const digestIn = ({ token_v2: given }: Fields): string | undefined =>
  typeof given === 'string' && DIGEST.test(given) ? given.toLowerCase() : undefined;

/** Hash under which a user's token is found; `undefined` if there is none. A plain-text token takes precedence over its SHA-256. */
const tokenHashIn = ({ target }: Pick<MessagingMigration, 'target'>, fields: Fields): string | undefined => {
  const token = textIn(fields, 'token');
  if (token !== '') return target.hashOf(token);
  const digest = digestIn(fields);
  return digest === undefined ? undefined : target.keyed(digest);
};

/** The token of a user, or its hash if only that is known or to be kept. A new, unknown one if there is none, or it is another user's. */
const tokenIn = (migration: MessagingMigration, { fields, place }: ExportedDocument): NewToken => {
  const { report, target, configuration, found } = migration;
  const token = textIn(fields, 'token');
  const digest = digestIn(fields);
  if (digest === undefined && !isEmpty(fields.token_v2))
    report.changed(place, 'token_v2 is left out: it is not a SHA-256 in hexadecimal digits');
  const tokenHash = tokenHashIn(migration, fields);
  const kept = (text: string): string => (configuration.messagingTokensShown === 'always' ? text : '');
  if (digest !== undefined && token !== '' && target.keyed(digest) !== tokenHash)
    report.changed(place, 'token_v2 is left out: it is not the SHA-256 of token');
  const problem = tokenHash === undefined ? 'it had no token' : found.tokens.has(tokenHash) ? 'another user has the same token' : undefined;
  if (tokenHash !== undefined && problem === undefined) return { token: kept(token), tokenHash };
  report.changed(place, `${problem}: it has a new one, which nobody knows yet; refresh it`);
  const made = randomBytes(32).toString('hex');
  return { token: kept(made), tokenHash: target.hashOf(made) };
};

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The component whose account the user is; `undefined` if another user already is. */
const componentIn = ({ report, found: { components } }: MessagingMigration, { fields, place }: ExportedDocument): Component => {
  const component = componentOf({ component: textIn(fields, 'component'), componentProject: textIn(fields, 'component_project') });
  const key = componentKey(component);
  if (key === undefined) return component;
  if (!components.has(key)) return component;
  report.changed(place, 'component and component_project are left out: another user has the same');
  return {};
};

type CreateUser = Extract<AccountCommand, { type: 'CreateUser' }>;

/** Records the ids, token and component of a user that is taken over, so that no later user gets them. */
const claim = (migration: MessagingMigration, fields: Fields, { userId, profile, token: { tokenHash } }: CreateUser): void => {
  const { found } = migration;
  found.users.add(userId);
  found.userIds.set(profile.name, userId);
  found.tokens.add(tokenHash);
  const component = componentKey(profile);
  if (component !== undefined) found.components.add(component);
  if (textIn(fields, 'token') === '' && tokenHash === tokenHashIn(migration, fields)) found.hashedTokens += 1;
};

const takeUser =
  (migration: MessagingMigration): TakeDocument =>
  async (document) => {
    const { found, writer, report, options } = migration;
    const { fields, origin, place } = document;
    const userId = uuidIn(fields);
    const name = nameIn(fields, 'name');
    if (name === options.pushWorker) throw new LeftOut('it is the user of the push server; Logbook pushes itself');
    if (found.users.has(userId)) throw new DocumentRefused('another user has the same uuid');
    const command: CreateUser = {
      type: 'CreateUser',
      userId,
      profile: { ...profileIn(fields, name), ...componentIn(migration, document) },
      token: tokenIn(migration, document),
      projects: rolesIn(migration, document),
      serviceRoles: knownRoles(report, place, textsIn(fields, 'service_roles')),
      by: creatorIn(fields, 'created_by'),
    };
    const revised = revisedAt(fields);
    const revise = { type: 'ReviseUser', name, changes: command.profile } as const;
    const steps = [{ command, time: createdAt(fields) }, ...(revised === undefined ? [] : [{ command: revise, time: revised }])];
    const written = await writer.decide({ origin, ...to, steps });
    claim(migration, fields, command);
    return written;
  };

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** A time as text; `undefined` if it is empty. */
const instantIn = (fields: Fields, name: string): string | undefined => {
  const text = textIn(fields, name);
  if (text === '') return undefined;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) throw new DocumentRefused(`${name} is not a time YYYY-MM-DDTHH:MM:SSZ`);
  return text.replace('Z', '.000Z');
};

const STATUSES = ['pending', 'accepted', 'declined'];

/** Written as facts, because the rules would refuse a registration whose user already exists. */
const registrationFacts = ({ fields }: ExportedDocument, directory: Directory): readonly HistoricalEvent<AccountEvent>[] => {
  const registrationId = uuidIn(fields);
  const name = nameIn(fields, 'name');
  const status = textIn(fields, 'status');
  if (!STATUSES.includes(status)) throw new DocumentRefused(`its status is none of ${STATUSES.join(', ')}`);
  const time = instantIn(fields, 'registered_at') ?? madeAt(fields, 'registered_on');
  const data = { registrationId, ...profileIn(fields, name), activationToken: textIn(fields, 'activation_token') };
  const submitted: HistoricalEvent<AccountEvent> = { event: { type: 'RegistrationSubmitted', data }, time };
  if (status === 'pending') return [submitted];
  const settled = instantIn(fields, 'modified_at') ?? time;
  const by = creatorIn(fields, 'modified_by');
  if (status === 'accepted') {
    const userId = directory.userIds.get(name) ?? '';
    return [submitted, { event: { type: 'RegistrationAccepted', data: { registrationId, userId, by } }, time: settled }];
  }
  const comment = textIn(fields, 'decline_comment');
  return [submitted, { event: { type: 'RegistrationDeclined', data: { registrationId, comment, by } }, time: settled }];
};

const projectRow: MessagingRow = {
  collection: 'projects',
  take: byIds(takeProject),
  compared: {
    expected: ({ fields }) => ({
      name: nameIn(fields, 'name'),
      description: textIn(fields, 'description'),
      createdOn: wireInstant(createdAt(fields)),
      modifiedOn: wireInstant(dateIn(fields, 'modified_on') ?? createdAt(fields)),
    }),
    found: ({ fields }, { queries }) => queries.accounts.project(uuidIn(fields)),
  },
};

const userRow: MessagingRow = {
  collection: 'users',
  take: (migration) => ({
    each: takeUser(migration),
    sortedBy: byId,
    end: async () => {
      const { report, found } = migration;
      if (found.hashedTokens > 0)
        report.note(`tokens of which only the hash is known: ${found.hashedTokens}; they work, and no read shows them before a refresh`);
    },
  }),
  compared: {
    expected: ({ fields, place }, { migration }) => ({
      ...personalIn(fields),
      name: nameIn(fields, 'name'),
      createdOn: wireInstant(createdAt(fields)),
      // Roles and token of a changed user are in the report.
      ...(!migration.report.isChanged(place) && {
        holder: uuidIn(fields),
        serviceRoles: textsIn(fields, 'service_roles'),
        component: textIn(fields, 'component'),
        componentProject: textIn(fields, 'component_project'),
        projects: new Set(fieldsListIn(fields, 'projects').map((membership) => membership.project_uuid)),
      }),
    }),
    found: async ({ fields }, { migration, queries }) => {
      const user = await queries.accounts.user(uuidIn(fields));
      if (!user) return undefined;
      const { component = '', componentProject = '', memberships } = user;
      const holder = (await queries.accounts.tokenHolder(tokenHashIn(migration, fields) ?? ''))?.userId;
      return { ...user, holder, component, componentProject, projects: new Set(memberships.map(({ projectId }) => projectId)) };
    },
  },
  counted: async ({ migration, queries }) => {
    const users = await queries.accounts.users([...migration.found.users]);
    return users.filter((user) => user !== undefined).length;
  },
};

const registrationRow: MessagingRow = {
  collection: 'user_registrations',
  take: byIds(
    ({ writer, found }) =>
      async (document) =>
        writer.decide({ origin: document.origin, ...to, steps: registrationFacts(document, found) }),
  ),
  compared: {
    expected: ({ fields }) => ({ ...personalIn(fields), name: nameIn(fields, 'name'), status: nameIn(fields, 'status') }),
    found: ({ fields }, { queries }) => queries.accounts.registration(uuidIn(fields)),
  },
};

export const accountRows: readonly MessagingRow[] = [projectRow, userRow, registrationRow];
