import { AccountingCaller } from '#api/accounting/caller.js';
import { DefineMetric } from '#api/accounting/definitions/definition-commands.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { type CatalogueCommand, catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { objectId } from '#domain/accounting/object-id.js';
import { type ProjectCommand, projectContents } from '#domain/accounting/projects/project-rules.js';
import { type Application, contextFor } from '#test/support/application.js';

const PROJECT = { acronym: 'EGI', title: 'grid', start_date: '2021-01-01', end_date: '2031-01-01', call_identifier: 'call' };
const PROVIDER = { website: null, abbreviation: null, logo: null };

const executed = async (application: Application, stream: string, command: CatalogueCommand | ProjectCommand): Promise<void> => {
  const gateway = application.get(CommandGateway);
  const context = contextFor('accounting');
  if (stream === CATALOGUE_STREAM) await gateway.execute({ stream, decider: catalogue, context, command: command as CatalogueCommand });
  else await gateway.execute({ stream, decider: projectContents, context, command: command as ProjectCommand });
};

/** An installation of a project of its own, for specs of command handlers. `name` is part of all its ids. */
export const addInstallation = async (
  application: Application,
  name: string,
): Promise<Readonly<{ projectId: string; installationId: string }>> => {
  const [projectId, providerId] = [`project-${name}`, `provider-${name}`];
  const installationId = objectId(Date.UTC(2021, 0, 1), Buffer.from(name.padEnd(8, '.').slice(0, 8)).toString('hex'));
  const ofProject = { projectId, generation: 1 };
  const registration = { providerId, externalId: `external-${name}`, creatorId: 'spec', name: providerId, ...PROVIDER };
  const content = { organisation: providerId, infrastructure: 'cloud', installation: name, resource: null, unitOfAccess: null };
  const created = { installationId, externalId: `installation-${name}`, creatorId: 'spec', content };
  await executed(application, CATALOGUE_STREAM, {
    type: 'RegisterProject',
    project: { projectId, creatorId: 'spec', ...PROJECT },
    known: false,
  });
  await executed(application, CATALOGUE_STREAM, { type: 'RegisterProvider', provider: registration });
  await executed(application, projectStream(projectId), { type: 'AssociateProvider', ...ofProject, providerId });
  await executed(application, projectStream(projectId), {
    type: 'CreateInstallation',
    ...ofProject,
    ...created,
    resourceMissing: false,
    externalIdTaken: false,
  });
  return { projectId, installationId };
};

/** A metric definition with this name, of types that come with the service. */
export const addDefinition = async (application: Application, name: string): Promise<string> => {
  const definition = { metric_name: name, metric_description: null, unit_type: 'count', metric_type: 'aggregated' };
  const { record } = await application.execute(new DefineMetric(contextFor('accounting'), { creatorId: 'spec', definition }));
  return record.metric_definition_id;
};

/** A caller with these entitlements, each as its segments and its role. */
export const callerWith = (...entitlements: readonly (readonly [role: string, ...segments: string[]])[]): AccountingCaller =>
  new AccountingCaller({
    id: 'spec',
    issuer: 'issuer',
    name: '',
    email: '',
    tenant: { isDefault: true, userClaim: 'sub', serviceClaim: 'client_id', scheme: { namespace: 'n', parent: 'p' } },
    entitlements: entitlements.map(([role, ...segments]) => ({ role, segments })),
  });
