import { randomBytes } from 'node:crypto';
import type { Profile, ProjectRoles } from '#domain/messaging/accounts/account-commands.js';
import { ACCOUNTS_STREAM, type AccountEvent, type Creator, type PersonalData } from '#domain/messaging/accounts/account-events.js';
import { accounts } from '#domain/messaging/accounts/accounts.js';
import { isMessagingRole } from '#domain/messaging/accounts/roles.js';
import { type ExportedDocument, LeftOut, type Migration, madeAt, Refused } from '../migration.js';
import { dateIn, type Fields, fieldsListIn, nameIn, textIn, textsIn } from '../read/fields.js';
import type { Fact, WriteResult } from '../write/log-writer.js';
import { type Directory, pathNameIn, uuidIn } from './directory.js';

const stream = ACCOUNTS_STREAM;
const decider = accounts;

/** The user who did it; the service token, which is no user, stands as an empty text. */
const creatorIn = (fields: Fields, name: string): Creator => textIn(fields, name) || null;

export const personalIn = (fields: Fields): PersonalData => ({
  firstName: textIn(fields, 'first_name'),
  lastName: textIn(fields, 'last_name'),
  organization: textIn(fields, 'organization'),
  email: textIn(fields, 'email'),
});

export const profileIn = (fields: Fields, name: string): Profile => ({
  ...personalIn(fields),
  name,
  description: textIn(fields, 'description'),
});

export const createdAt = (fields: Fields): string => madeAt(fields, 'created_on');
/** When it was changed after it was made; nothing if never. */
const revisedAt = (fields: Fields): string | undefined => {
  const modified = dateIn(fields, 'modified_on');
  return modified !== undefined && modified > createdAt(fields) ? modified : undefined;
};

const takeProject =
  ({ writer }: Migration, directory: Directory) =>
  async ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const projectId = uuidIn(fields);
    const [name, description] = [pathNameIn(fields), textIn(fields, 'description')];
    const create = { type: 'CreateProject', projectId, name, description, by: creatorIn(fields, 'created_by') } as const;
    const revise = { type: 'ReviseProject', projectId, name, description } as const;
    const revised = revisedAt(fields);
    const steps = [{ command: create, time: createdAt(fields) }, ...(revised === undefined ? [] : [{ command: revise, time: revised }])];
    const written = await writer.decide({ origin, stream, decider, steps });
    directory.projects.set(projectId, name);
    return written;
  };

/** Roles in projects that are there, of those that Logbook knows; one entry for each project. */
const rolesIn = ({ report }: Migration, directory: Directory, { fields, place }: ExportedDocument): readonly ProjectRoles[] => {
  const byProject = new Map<string, Set<string>>();
  for (const membership of fieldsListIn(fields, 'projects')) {
    const projectId = textIn(membership, 'project_uuid');
    const project = directory.projects.get(projectId);
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

const knownRoles = (report: Migration['report'], place: ExportedDocument['place'], roles: readonly string[]): readonly string[] =>
  roles.filter((role) => {
    if (!isMessagingRole(role)) report.changed(place, `role ${role} is left out: there is no such role`);
    return isMessagingRole(role);
  });

/** A token as it is; a new one, which nobody knows, where there is none or it is another user's. */
const tokenIn = ({ report, target }: Migration, { tokens }: Directory, { fields, place }: ExportedDocument) => {
  const given = textIn(fields, 'token');
  const givenHash = target.hashOf(given);
  const problem = given === '' ? 'it had no token' : tokens.has(givenHash) ? 'another user has the same token' : undefined;
  if (problem === undefined) {
    tokens.add(givenHash);
    return { token: given, tokenHash: givenHash };
  }
  report.changed(place, `${problem}: it has a new one, which nobody knows yet; refresh it`);
  const token = randomBytes(32).toString('hex');
  return { token, tokenHash: target.hashOf(token) };
};

const takeUser =
  (migration: Migration, directory: Directory) =>
  async (document: ExportedDocument): Promise<WriteResult> => {
    const { fields, origin, place } = document;
    const userId = uuidIn(fields);
    const name = nameIn(fields, 'name');
    if (name === directory.pushWorker) throw new LeftOut('it is the user of the push server; Logbook pushes itself');
    if (directory.users.has(userId)) throw new Refused('another user has the same uuid');
    const command = {
      type: 'CreateUser',
      userId,
      profile: profileIn(fields, name),
      token: tokenIn(migration, directory, document),
      projects: rolesIn(migration, directory, document),
      serviceRoles: knownRoles(migration.report, place, textsIn(fields, 'service_roles')),
      by: creatorIn(fields, 'created_by'),
    } as const;
    const revised = revisedAt(fields);
    const revise = { type: 'ReviseUser', name, changes: command.profile } as const;
    const steps = [{ command, time: createdAt(fields) }, ...(revised === undefined ? [] : [{ command: revise, time: revised }])];
    const written = await migration.writer.decide({ origin, stream, decider, steps });
    directory.users.add(userId);
    directory.userIds.set(name, userId);
    return written;
  };

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** A time as text; `undefined` for an empty one. */
const instantIn = (fields: Fields, name: string): string | undefined => {
  const text = textIn(fields, name);
  if (text === '') return undefined;
  if (!INSTANT.test(text) || Number.isNaN(Date.parse(text))) throw new Refused(`${name} is not a time YYYY-MM-DDTHH:MM:SSZ`);
  return text.replace('Z', '.000Z');
};

const STATUSES = ['pending', 'accepted', 'declined'];

/** Facts: the rules would refuse a registration whose user is there already. */
const registrationFacts = ({ fields }: ExportedDocument, directory: Directory): readonly Fact<AccountEvent>[] => {
  const registrationId = uuidIn(fields);
  const name = nameIn(fields, 'name');
  const status = textIn(fields, 'status');
  if (!STATUSES.includes(status)) throw new Refused(`its status is none of ${STATUSES.join(', ')}`);
  const time = instantIn(fields, 'registered_at') ?? madeAt(fields, 'registered_on');
  const data = { registrationId, ...profileIn(fields, name), activationToken: textIn(fields, 'activation_token') };
  const submitted: Fact<AccountEvent> = { event: { type: 'RegistrationSubmitted', data }, time };
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

const takeRegistration =
  ({ writer }: Migration, directory: Directory) =>
  (document: ExportedDocument): Promise<WriteResult> =>
    writer.decide({ origin: document.origin, stream, decider, steps: registrationFacts(document, directory) });

/** Lists of the original are in the order of its ids. */
export const byId = ({ _id }: Fields): string => String(_id);

/** Projects, users and registrations. */
export const takeAccounts = async (migration: Migration, directory: Directory): Promise<void> => {
  await migration.each(migration.file('projects'), takeProject(migration, directory), { sortedBy: byId });
  await migration.each(migration.file('users'), takeUser(migration, directory), { sortedBy: byId });
  await migration.each(migration.file('user_registrations'), takeRegistration(migration, directory), { sortedBy: byId });
};
