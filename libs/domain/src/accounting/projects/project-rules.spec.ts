import { expect, it } from '@jest/globals';
import { externalIdStream, type ProjectEvent, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { externalIds } from '#domain/accounting/catalogue/external-id-rules.js';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type ProjectCommand, projectContents } from './project-rules.js';

const given = deciderSpec(projectContents);
const of = (generation = 1) => ({ projectId: 'p', generation });
const content = (organisation: string, installation: string) => ({
  organisation,
  infrastructure: 'i',
  installation,
  resource: null,
  unitOfAccess: null,
});
const associated = (providerId: string, generation = 1): ProjectEvent => ({
  type: 'ProviderAssociated',
  data: { ...of(generation), providerId },
});
const created = (installationId: string, organisation: string, installation: string): ProjectEvent => ({
  type: 'InstallationCreated',
  data: { ...of(), installationId, externalId: 'e', creatorId: 'me', ...content(organisation, installation) },
});
const create = (organisation: string, installation: string, more: object = {}): ProjectCommand => ({
  type: 'CreateInstallation',
  ...of(),
  installationId: '1',
  externalId: 'e',
  creatorId: 'me',
  content: content(organisation, installation),
  resourceMissing: false,
  externalIdTaken: false,
  ...more,
});
const revise = (changes: object, more: object = {}): ProjectCommand => ({
  type: 'ReviseInstallation',
  ...of(),
  installationId: '1',
  changes,
  measured: false,
  providerMissing: false,
  resourceMissing: false,
  closing: 'c',
  ...more,
});
const closed: ProjectEvent = { type: 'InstallationClosed', data: { ...of(), installationId: '1', closing: 'c' } };
const revised = (changes: object): ProjectEvent => ({
  type: 'InstallationRevised',
  data: { ...of(), installationId: '1', ...content('a', 'n'), ...changes },
});

it('a provider is associated once, and dissociated when it has no installations', () => {
  const associate = { type: 'AssociateProvider', providerId: 'a', ...of() } as const;
  const dissociate = { type: 'DissociateProvider', providerId: 'a', ...of() } as const;
  const dissociated: ProjectEvent = { type: 'ProviderDissociated', data: { ...of(), providerId: 'a' } };
  given().when(associate).then(associated('a'));
  given(associated('a')).when(associate).thenRejected('PROVIDER_ALREADY_ASSOCIATED', { projectId: 'p' });
  given().when(dissociate).then();
  given(associated('a')).when(dissociate).then(dissociated);
  given(associated('a'), dissociated).when(associate).then(associated('a'));
  given(associated('a'), created('1', 'a', 'n'))
    .when(dissociate)
    .thenRejected('PROVIDER_HAS_INSTALLATIONS', { projectId: 'p', providerId: 'a' });
});

it('the creation of an installation checks association, name, resource and external id in this order', () => {
  const flawed = { resourceMissing: true, externalIdTaken: true };
  const known = [associated('a'), associated('b'), created('7', 'a', 'n')];
  given()
    .when(create('a', 'n', flawed))
    .thenRejected('PROVIDER_NOT_ASSOCIATED', { projectId: 'p', providerId: 'a' });
  const taken = { projectId: 'p', providerId: 'a', name: 'n', installationId: '7' };
  given(...known)
    .when(create('a', 'n', flawed))
    .thenRejected('INSTALLATION_NAME_TAKEN', taken);
  given(...known)
    .when(create('a', 'N', flawed))
    .thenRejected('RESOURCE_NOT_FOUND');
  given(...known)
    .when(create('b', 'n', { externalIdTaken: true }))
    .thenRejected('EXTERNAL_ID_TAKEN');
  given(...known)
    .when(create('b', 'n'))
    .then(created('1', 'b', 'n'));
});

it('the revision of an installation checks metrics, provider, association, resource and name in this order', () => {
  const known = [associated('a'), associated('b'), created('1', 'a', 'n'), created('2', 'b', 'm')];
  const flawed = { measured: true, providerMissing: true, resourceMissing: true };
  given(associated('a')).when(revise({}, flawed)).thenRejected('INSTALLATION_NOT_FOUND', { installationId: '1' });
  given(...known)
    .when(revise({}, flawed))
    .thenRejected('INSTALLATION_MEASURED_UPDATE');
  const missing = { providerMissing: true, resourceMissing: true };
  given(...known)
    .when(revise({ organisation: 'x' }, missing))
    .thenRejected('PROVIDER_NOT_FOUND', { providerId: 'x' });
  given(...known)
    .when(revise({ organisation: 'x' }, { resourceMissing: true }))
    .thenRejected('PROVIDER_NOT_ASSOCIATED');
  const move = { organisation: 'b', installation: 'm', resource: 'r' };
  given(...known)
    .when(revise(move, { resourceMissing: true }))
    .thenRejected('RESOURCE_NOT_FOUND', { resourceId: 'r' });
  given(...known)
    .when(revise(move))
    .thenRejected('INSTALLATION_NAME_TAKEN', { providerId: 'b', name: 'm', installationId: '2' });
  given(...known, closed)
    .when(revise({ organisation: 'b' }))
    .then(revised({ organisation: 'b' }));
  given(...known, closed)
    .when(revise({ installation: 'm', unitOfAccess: 'd' }))
    .then(revised({ installation: 'm', unitOfAccess: 'd' }));
  given(...known)
    .when(revise({ installation: 'n', infrastructure: 'i' }))
    .then();
  given(...known, revised({ installation: 'k' }))
    .when(create('a', 'n', { installationId: '3' }))
    .then(created('3', 'a', 'n'));
});

it('two migrated installations of one name can be changed, and each holds the name', () => {
  const known = [associated('a'), created('1', 'a', 'n'), created('2', 'a', 'n')];
  const taken = { projectId: 'p', providerId: 'a', name: 'n', installationId: '2' };
  const another = create('a', 'n', { installationId: '3' });
  const deleted = (installationId: string): ProjectEvent => ({ type: 'InstallationDeleted', data: { ...of(), installationId } });
  given(...known, closed)
    .when(revise({ infrastructure: 'x' }))
    .then(revised({ infrastructure: 'x' }));
  given(...known, created('4', 'a', 'm'), closed)
    .when(revise({ installation: 'm' }))
    .thenRejected('INSTALLATION_NAME_TAKEN', { name: 'm', installationId: '4' });
  given(...known, deleted('1'))
    .when(another)
    .thenRejected('INSTALLATION_NAME_TAKEN', taken);
  given(...known, revised({ installation: 'k' }))
    .when(another)
    .thenRejected('INSTALLATION_NAME_TAKEN', taken);
  given(...known, revised({ infrastructure: 'x' }), deleted('1'), deleted('2'))
    .when(another)
    .then(created('3', 'a', 'n'));
});

it('an installation is deleted when it has no metrics', () => {
  const remove = (measured: boolean) => ({ type: 'DeleteInstallation', ...of(), installationId: '1', measured, closing: 'c' }) as const;
  const deleted: ProjectEvent = { type: 'InstallationDeleted', data: { ...of(), installationId: '1' } };
  const known = [associated('a'), created('1', 'a', 'n')];
  given(...known)
    .when(remove(true))
    .thenRejected('INSTALLATION_MEASURED_DELETE');
  given(...known)
    .when(remove(false))
    .thenRejected('CLOSING_LOST');
  given(...known, closed)
    .when(remove(false))
    .then(deleted);
  given(...known, deleted)
    .when(remove(true))
    .thenRejected('INSTALLATION_NOT_FOUND');
  given(...known, deleted)
    .when(create('a', 'n'))
    .then(created('1', 'a', 'n'));
  given(...known)
    .when({ type: 'RequireInstallation', ...of(), installationId: '1' })
    .then();
  given(...known)
    .when({ type: 'RequireInstallation', ...of(), installationId: '2' })
    .thenRejected('INSTALLATION_NOT_FOUND');
});

it('a project that is registered again starts empty and rejects commands to its earlier generation', () => {
  const known = [associated('a'), created('1', 'a', 'n')];
  given(...known)
    .when({ type: 'AssociateProvider', providerId: 'a', ...of(2) })
    .then(associated('a', 2));
  given(...known, associated('a', 2))
    .when({ type: 'DissociateProvider', providerId: 'a', ...of(2) })
    .then({ type: 'ProviderDissociated', data: { ...of(2), providerId: 'a' } });
  given(...known, associated('a', 2))
    .when(create('a', 'm'))
    .thenRejected('PROJECT_NOT_FOUND', { projectId: 'p' });
});

it('an external id has one holder until it is released or the holder is gone', () => {
  const claims = deciderSpec(externalIds);
  const holder = (installationId: string) => ({ installationId, projectId: 'p', generation: 1 });
  const claim = (installationId: string, abandonedBy?: string) =>
    ({
      type: 'ClaimExternalId',
      externalId: 'e',
      holder: holder(installationId),
      now: 'now',
      ...(abandonedBy ? { abandonedBy } : {}),
    }) as const;
  const claimed = (installationId: string) =>
    ({ type: 'ExternalIdClaimed', data: { externalId: 'e', claimedAt: 'now', ...holder(installationId) } }) as const;
  const release = (installationId: string) => ({ type: 'ReleaseExternalId', externalId: 'e', installationId }) as const;
  const released = { type: 'ExternalIdReleased', data: { externalId: 'e', installationId: '1' } } as const;
  claims().when(claim('1')).then(claimed('1'));
  claims(claimed('1')).when(claim('1')).then();
  claims(claimed('1'))
    .when(claim('2'))
    .thenRejected('EXTERNAL_ID_TAKEN', { ...holder('1'), claimedAt: 'now' });
  claims(claimed('1')).when(claim('2', '3')).thenRejected('EXTERNAL_ID_TAKEN');
  claims(claimed('1')).when(claim('2', '1')).then(claimed('2'));
  claims(claimed('1')).when(release('1')).then(released);
  claims(claimed('2')).when(release('1')).then();
  claims(claimed('1'), released).when(claim('2')).then(claimed('2'));
});

it('stream names are valid for any id', () => {
  expect(projectStream('777536')).toBe('accounting.project-777536');
  for (const id of ['a b', '~', 'é', 'x'.repeat(200), '']) expect(projectStream(id)).toMatch(/^accounting\.project-~[0-9a-f]{64}$/);
  expect(externalIdStream('é'.repeat(5_000))).toMatch(/^accounting\.external_id-[0-9a-f]{64}$/);
});

it('a forestalled hold is refused in any generation', () => {
  const forestall = (hold: string) => ({ type: 'ForestallReference', projectId: 'p', hold }) as const;
  const forestalled = (hold: string, generation = 1): ProjectEvent => ({ type: 'ReferenceForestalled', data: { ...of(generation), hold } });
  const associate = { type: 'AssociateProvider', providerId: 'b', ...of(), holds: ['h'] } as const;
  const known = [associated('a'), created('7', 'a', 'n')];
  given(...known)
    .when(forestall('h'))
    .then(forestalled('h'));
  given().when(forestall('h')).then(forestalled('h', 0));
  given(...known, forestalled('h'))
    .when(forestall('h'))
    .then();
  given(...known)
    .when(forestall('7'))
    .thenRejected('INSTALLATION_EXISTS');
  given(...known)
    .when(associate)
    .then(associated('b'));
  given(...known, forestalled('h'))
    .when(associate)
    .thenRejected('REFERENCE_FORESTALLED');
  given(...known, forestalled('h'))
    .when({ ...associate, generation: 2 })
    .thenRejected('REFERENCE_FORESTALLED');
  given(...known, forestalled('h'), associated('a', 2))
    .when({ ...associate, generation: 2 })
    .thenRejected('REFERENCE_FORESTALLED');
  given(...known, forestalled('h'))
    .when(create('a', 'm', { holds: ['h'] }))
    .thenRejected('REFERENCE_FORESTALLED');
  given(...known, forestalled('1'))
    .when(create('a', 'm'))
    .thenRejected('REFERENCE_FORESTALLED');
  given(associated('a'), created('1', 'a', 'n'), closed, forestalled('h'))
    .when(revise({ unitOfAccess: 'd' }, { holds: ['h'] }))
    .thenRejected('REFERENCE_FORESTALLED');
});
