import { CATALOGUE_STREAM, type Project, type Provider, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import { type ExportedDocument, madeAt, type TakeDocument } from '../migration.js';
import { type Fields, fieldsListIn, has, idText, nameIn, quietly, textIn, textOrNull, WrongField } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import { decides } from '../table.js';
import { only } from '../verification.js';
import { type DocumentOrigin, derivedId } from '../write/event-ids.js';
import { anyId } from './ids.js';
import { FIRST, installationsIn, takeInstallations } from './installations.js';
import { type AccountingMigration, type AccountingRow, NOTHING } from './row.js';
import { takeAnyway } from './take-anyway.js';

const to = { stream: CATALOGUE_STREAM, decider: catalogue };

const providerOf = (fields: Fields): Provider => ({
  name: nameIn(fields, 'name'),
  website: textOrNull(fields, 'website'),
  abbreviation: textOrNull(fields, 'abbreviation'),
  logo: textOrNull(fields, 'logo'),
});

const projectOf = (fields: Fields): Project => ({
  acronym: textIn(fields, 'acronym'),
  title: textOrNull(fields, 'title'),
  start_date: textOrNull(fields, 'start_date'),
  end_date: textOrNull(fields, 'end_date'),
  call_identifier: textOrNull(fields, 'call_identifier'),
});

/** `what`: the provider in the report. */
type NewProvider = Readonly<{ providerId: string; fields: Fields; place: DocumentPlace; what: string }>;

/** The external id of the document, or the provider's own id, unless it belongs to another one. */
const externalIdOf = async ({ writer, report, found }: AccountingMigration, { providerId, fields, place, what }: NewProvider) => {
  const { providers, externalIds } = await writer.state(to.stream, to.decider);
  const given = textIn(fields, 'external_id');
  const isFree = (id: string): boolean => id !== '' && !externalIds.has(id) && (id === given || !found.externalIds.has(id));
  const known = providers.get(providerId)?.externalId; // from an earlier run
  const externalId = known ?? [given, providerId].find(isFree) ?? derivedId('accounting', 'Provider', providerId, 'external id');
  if (externalId === given) return externalId;
  const reason = given === '' ? `${what} had no external_id` : `another provider has the external_id of ${what}`;
  report.changed(place, `${reason}: ${externalId === providerId ? 'its own id is that now' : `it is ${externalId} now`}`);
  return externalId;
};

const register = async (migration: AccountingMigration, given: NewProvider & Readonly<{ origin: DocumentOrigin; time: string }>) => {
  const { providerId, fields, origin, time, place, what } = given;
  const externalId = await externalIdOf(migration, given);
  const provider = { providerId, externalId, creatorId: textIn(fields, 'creatorId'), ...providerOf(fields) };
  return takeAnyway(migration, {
    origin,
    ...to,
    command: { type: 'RegisterProvider', provider },
    event: { type: 'ProviderRegistered', data: provider },
    time,
    rule: 'PROVIDER_NAME_TAKEN',
    place,
    what,
  });
};

const takeProviders: AccountingRow['take'] = async (migration, _scope, file) => {
  const { writer, found } = migration;
  if (file)
    for await (const { fields } of migration.read(file))
      if (has(fields, 'creatorId')) found.externalIds.add(quietly(() => textIn(fields, 'external_id')) ?? '');
  return async ({ fields, origin, place }) => {
    const [providerId, time] = [anyId(fields), madeAt(fields, 'registered_on')];
    if (has(fields, 'creatorId')) return register(migration, { providerId, fields, origin, time, place, what: 'it' });
    // A provider without a creator is an entry of the external catalogue.
    const command = { type: 'ImportProviders', providers: [{ providerId, ...providerOf(fields) }] } as const;
    return writer.decide({ origin, ...to, steps: [{ command, time }] });
  };
};

/** Members that the newest original writes in addition to those it reads. */
const UNREAD = ['startDate', 'endDate', 'callIdentifier'];

const takeProject =
  (migration: AccountingMigration): TakeDocument =>
  async (document) => {
    const { fields, origin, place } = document;
    const { writer, report, found } = migration;
    const projectId = anyId(fields);
    const time = madeAt(fields, 'registered_on');
    const project = { projectId, creatorId: textIn(fields, 'creatorId'), ...projectOf(fields) };
    const command = { type: 'RegisterProject', project, known: false } as const;
    const written = await writer.decide({ origin, ...to, steps: [{ command, time }] });
    for (const name of UNREAD)
      if (has(fields, name))
        report.changed(place, `${name} is left out, as the original shows another member instead; it was ${JSON.stringify(fields[name])}`);
    found.installations.addProject(projectId, project.acronym);
    const associated = fieldsListIn(fields, 'providers');
    if (associated.length > 0) await writer.flush(); // read models ignore the contents of a project that the log has only later
    for (const association of associated) {
      if (await associate(migration, document, association)) await takeInstallations(migration, document, association);
    }
    return written;
  };

/** Returns whether the provider is now associated. */
const associate = async (migration: AccountingMigration, { fields, place }: ExportedDocument, association: Fields): Promise<boolean> => {
  const { writer, report } = migration;
  const [projectId, providerId] = [anyId(fields), idText(association._id)];
  if (providerId === undefined) {
    report.partRefused(place, 'an association without _id is left out');
    return false;
  }
  const time = madeAt(fields, 'registered_on');
  const origin = { collection: 'Project', id: `${projectId}/providers/${providerId}` };
  const { providers } = await writer.state(to.stream, to.decider);
  try {
    if (!providers.has(providerId)) {
      await register(migration, { providerId, fields: association, origin, time, place, what: `provider ${providerId}` });
      report.changed(place, `provider ${providerId} was associated, but not there: it is registered from the copy in the project`);
    }
    const command = { type: 'AssociateProvider', projectId, generation: FIRST, providerId } as const;
    await writer.decide({ origin, stream: projectStream(projectId), decider: projectContents, steps: [{ command, time }] });
    return true;
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof WrongField)) throw error;
    const reason = error instanceof DomainError ? error.code : error.message;
    const kind = `a provider is not associated, and its installations are left out: ${reason}`;
    report.partRefused(place, kind.replace('a provider', `provider ${providerId}`), kind);
    return false;
  }
};

/** Members shown of an installation. */
const INSTALLATION = { id: 1, organisation: 1, infrastructure: 1, installation: 1, resource: 1, unit_of_access: 1 };

export const catalogueRows: readonly AccountingRow[] = [
  {
    collection: 'Resource',
    take: decides(to, (fields) => ({ type: 'RegisterResource', resourceId: anyId(fields), name: nameIn(fields, 'name') }) as const),
    counted: async ({ queries }) => (await queries.lists.resources(NOTHING)).total,
  },
  {
    collection: 'Provider',
    twice: true,
    take: takeProviders,
    compared: {
      expected: ({ fields }) => providerOf(fields),
      found: ({ fields }, { queries }) => queries.catalogue.providerById(anyId(fields)),
    },
  },
  {
    collection: 'Project',
    take: takeProject,
    compared: {
      expected: ({ fields }, { migration }) => ({ ...projectOf(fields), installations: installationsIn(fields, migration) }),
      found: async ({ fields }, { migration, queries }) => {
        const project = await queries.catalogue.project(anyId(fields));
        if (!project) return undefined;
        const ids = installationsIn(fields, migration).map(({ id }) => id);
        const installations = await Promise.all(ids.map((id) => queries.catalogue.installationById(id)));
        return { ...project, installations: installations.map((one) => only(INSTALLATION, one)) };
      },
    },
    counted: async ({ queries }) => (await queries.lists.projects(NOTHING)).total,
  },
];
