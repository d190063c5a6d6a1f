import { CATALOGUE_STREAM, type Project, type Provider, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import { type ExportedDocument, type Migration, madeAt } from '../migration.js';
import { allTextsIn, type Fields, fieldsListIn, has, idText, nameIn, textIn, textOrNull } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { anyId } from './ids.js';
import { FIRST, takeInstallations } from './installations.js';
import type { KnownInstallations } from './known-installations.js';

const stream = CATALOGUE_STREAM;
const decider = catalogue;

export const providerOf = (fields: Fields): Provider => ({
  name: nameIn(fields, 'name'),
  website: textOrNull(fields, 'website'),
  abbreviation: textOrNull(fields, 'abbreviation'),
  logo: textOrNull(fields, 'logo'),
});

export const projectOf = (fields: Fields): Project => allTextsIn(fields, 'acronym', 'title', 'start_date', 'end_date', 'call_identifier');

/** A provider without a creator is an entry of the external catalogue. */
const importOrRegister = (fields: Fields, { place }: ExportedDocument, { report }: Migration) => {
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
  (migration: Migration, installations: KnownInstallations) =>
  async (document: ExportedDocument): Promise<WriteResult> => {
    const { fields, origin, place } = document;
    const { writer, report } = migration;
    const projectId = anyId(fields);
    const time = madeAt(fields, 'registered_on');
    const project = { projectId, creatorId: textIn(fields, 'creatorId'), ...projectOf(fields) };
    const command = { type: 'RegisterProject', project, known: false } as const;
    const written = await writer.decide({ origin, stream, decider, steps: [{ command, time }] });
    for (const name of UNREAD)
      if (has(fields, name))
        report.changed(place, `${name} is left out, as the original shows another member instead; it was ${JSON.stringify(fields[name])}`);
    installations.addProject(projectId, project.acronym);
    for (const association of fieldsListIn(fields, 'providers')) {
      if (await associate(migration, document, association)) await takeInstallations(migration, document, association, installations);
    }
    return written;
  };

/** Returns whether the provider is now associated. */
const associate = async ({ writer, report }: Migration, { fields, place }: ExportedDocument, association: Fields): Promise<boolean> => {
  const [projectId, providerId] = [anyId(fields), idText(association._id)];
  if (providerId === undefined) {
    report.partRefused(place, 'an association without _id is left out');
    return false;
  }
  const time = madeAt(fields, 'registered_on');
  const origin = { collection: 'Project', id: `${projectId}/providers/${providerId}` };
  const { providers } = await writer.state(stream, decider);
  try {
    if (!providers.has(providerId)) {
      const provider = { providerId, externalId: providerId, creatorId: textIn(association, 'creatorId'), ...providerOf(association) };
      await writer.decide({ origin, stream, decider, steps: [{ command: { type: 'RegisterProvider', provider }, time }] });
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

/** Takes over resources, providers, and projects with their associations and installations. */
export const takeCatalogue = async (migration: Migration, installations: KnownInstallations): Promise<void> => {
  await migration.decideEach(
    'Resource',
    { stream, decider },
    (fields) =>
      ({
        type: 'RegisterResource',
        resourceId: anyId(fields),
        name: nameIn(fields, 'name'),
      }) as const,
  );
  await migration.decideEach('Provider', { stream, decider }, (fields, document) => importOrRegister(fields, document, migration));
  await migration.each(migration.file('Project'), takeProject(migration, installations));
};
