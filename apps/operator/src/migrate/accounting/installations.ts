import { externalIdStream, type Installation, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';
import { DomainError } from '#domain/shared/decider.js';
import { DocumentRefused, type ExportedDocument, madeAt, ruleText } from '../migration.js';
import { type Fields, fieldsListIn, has, idText, nameIn, textIn, textOrNull, WrongField } from '../read/fields.js';
import { anyId, recordId, referenceIn } from './ids.js';
import type { AccountingMigration } from './row.js';
import { takeAnyway } from './take-anyway.js';

/** The generation of a project that is registered for the first time. */
export const FIRST = 1;

const installationOf = (fields: Fields, providerId: string): Installation => ({
  organisation: providerId,
  infrastructure: textOrNull(fields, 'infrastructure'),
  installation: nameIn(fields, 'installation'),
  resource: textOrNull(fields, 'resource'),
  unitOfAccess: has(fields, 'unit_of_access') ? referenceIn(fields, 'unit_of_access') : null,
});

type Given = Readonly<{ migration: AccountingMigration; project: ExportedDocument; fields: Fields; providerId: string }>;

/** External id claimed for an installation; not the one of the document if that belongs to another installation. */
const claimed = async ({ migration, project, fields }: Given, installationId: string): Promise<string> => {
  const { writer, report } = migration;
  const projectId = anyId(project.fields);
  const time = madeAt(fields, 'registered_on');
  const origin = { collection: 'Project', id: `${projectId}/installations/${installationId}` };
  const claim = (externalId: string): Promise<unknown> => {
    const holder = { installationId, projectId, generation: FIRST };
    const command = { type: 'ClaimExternalId', externalId, holder, now: time } as const;
    return writer.decide({ origin, stream: externalIdStream(externalId), decider: externalIds, steps: [{ command, time }] });
  };
  const wanted = textIn(fields, 'external_id') || installationId;
  if (!has(fields, 'external_id'))
    report.changed(project.place, `installation ${installationId} had no external_id: its own id is that now`);
  try {
    await claim(wanted);
    return wanted;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    report.changed(project.place, `the external_id of installation ${installationId} belongs to another one: its own id takes its place`);
    await claim(installationId);
    return installationId;
  }
};

const takeInstallation = async (given: Given): Promise<void> => {
  const { migration, project, fields, providerId } = given;
  const { installations } = migration.found;
  const projectId = anyId(project.fields);
  const installationId = recordId(fields);
  if (installations.has(installationId)) throw new DocumentRefused('there are two installations of this id');
  const content = installationOf(fields, providerId);
  const time = madeAt(fields, 'registered_on');
  const externalId = await claimed(given, installationId);
  const record = { projectId, generation: FIRST, installationId, externalId, creatorId: textIn(fields, 'creatorId') };
  await takeAnyway(migration, {
    origin: { collection: 'Project', id: `${projectId}/installations/${installationId}` },
    stream: projectStream(projectId),
    decider: projectContents,
    command: { type: 'CreateInstallation', ...record, content, resourceMissing: false, externalIdTaken: false },
    event: { type: 'InstallationCreated', data: { ...record, ...content } },
    time,
    rule: 'INSTALLATION_NAME_TAKEN',
    place: project.place,
    what: `installation ${installationId}`,
  });
  migration.notePostdated(project.place, `installation ${installationId}`, time);
  const { installation: name, infrastructure, resource } = content;
  installations.add({ id: installationId, projectId, providerId, name, infrastructure, resource });
};

/** Takes over the installations in an association of a project. The project's report lists those that cannot be taken. */
export const takeInstallations = async (migration: AccountingMigration, project: ExportedDocument, association: Fields): Promise<void> => {
  const providerId = idText(association._id) ?? '';
  for (const fields of fieldsListIn(association, 'installations')) {
    try {
      await takeInstallation({ migration, project, fields, providerId });
    } catch (error) {
      if (!(error instanceof DomainError || error instanceof DocumentRefused || error instanceof WrongField)) throw error;
      const reason = error instanceof DomainError ? ruleText(error) : error.message;
      const kind = `an installation is left out: ${error instanceof DomainError ? error.code : error.message}`;
      migration.report.partRefused(project.place, `installation ${idText(fields._id) ?? ''} is left out: ${reason}`, kind);
    }
  }
};

/** The installations of a project that were taken over, as shown by the read model. */
export const installationsIn = (project: Fields, { found }: AccountingMigration) =>
  fieldsListIn(project, 'providers').flatMap((association) =>
    fieldsListIn(association, 'installations')
      .filter((one) => found.installations.find(idText(one._id) ?? ''))
      .map((one) => {
        const { unitOfAccess, ...shown } = installationOf(one, idText(association._id) ?? '');
        return { id: recordId(one), ...shown, unit_of_access: unitOfAccess };
      }),
  );
