import { CATALOGUE_STREAM, type Project, type Provider, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import { type ExportedDocument, madeAt, type TakeDocument } from '../migration.js';
import { type Fields, fieldsListIn, has, idText, nameIn, textIn, textOrNull } from '../read/fields.js';
import { decides } from '../table.js';
import { only } from '../verification.js';
import { anyId } from './ids.js';
import { FIRST, installationsIn, takeInstallations } from './installations.js';
import { type AccountingMigration, type AccountingRow, NOTHING } from './row.js';

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

/** A provider without a creator is an entry of the external catalogue. */
const importOrRegister = (fields: Fields, { place }: ExportedDocument, { report }: AccountingMigration) => {
  const providerId = anyId(fields);
  const provider = providerOf(fields);
  if (!has(fields, 'creatorId')) return { type: 'ImportProviders', providers: [{ providerId, ...provider }] } as const;
  const externalId = textIn(fields, 'external_id') || providerId;
  if (!has(fields, 'external_id')) report.changed(place, 'it had no external_id: its own id is that now');
  return { type: 'RegisterProvider', provider: { providerId, externalId, creatorId: textIn(fields, 'creatorId'), ...provider } } as const;
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
    for (const association of fieldsListIn(fields, 'providers')) {
      if (await associate(migration, document, association)) await takeInstallations(migration, document, association);
    }
    return written;
  };

/** Returns whether the provider is now associated. */
const associate = async (
  { writer, report }: AccountingMigration,
  { fields, place }: ExportedDocument,
  association: Fields,
): Promise<boolean> => {
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
      const provider = { providerId, externalId: providerId, creatorId: textIn(association, 'creatorId'), ...providerOf(association) };
      await writer.decide({ origin, ...to, steps: [{ command: { type: 'RegisterProvider', provider }, time }] });
      report.changed(place, `provider ${providerId} was associated, but not there: it is registered from the copy in the project`);
    }
    const command = { type: 'AssociateProvider', projectId, generation: FIRST, providerId } as const;
    await writer.decide({ origin, stream: projectStream(projectId), decider: projectContents, steps: [{ command, time }] });
    return true;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const kind = `a provider is not associated, and its installations are left out: ${error.code}`;
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
    take: decides(to, importOrRegister),
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
