import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import type { InstallationRef } from '#projections/accounting/metrics/queries.js';
import { addDefinition, addInstallation } from '#test/support/accounting/accounting-records.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { RegisterCapacity, ReviseCapacity } from './commands.js';

let application: Application;
let definitionId: string;
beforeAll(async () => {
  application = await openApplication();
  definitionId = await addDefinition(application, 'hours');
});
afterAll(() => application?.close());

const register = (installation: InstallationRef, registeredOn: string | null, definition = definitionId) => {
  const command = new RegisterCapacity(contextFor('accounting'), {
    installation,
    capacity: { definitionId: definition, value: '10.50', registeredOn },
  });
  return application.execute(command);
};
const revise = (installation: InstallationRef, id: string, revision: Readonly<{ value?: string; registeredOn?: string }>) =>
  application.execute(
    new ReviseCapacity(contextFor('accounting'), {
      installation,
      capacityId: id,
      revision: { value: null, registeredOn: null, ...revision },
    }),
  );
const capacitiesOf = (installation: InstallationRef) => application.get(CapacityQueries).ofInstallation(installation);

describe('Registering a capacity', () => {
  it('shows it from the beginning of a day', async () => {
    const installation = await addInstallation(application, 'day');
    expect((await register(installation, '2024-03-01')).readable).toBe(true);
    expect(await capacitiesOf(installation)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        installation_id: installation.installationId,
        metric_definition_id: definitionId,
        value: '10.5',
        registered_on: '2024-03-01T00:00:00.000Z',
      },
    ]);
  });

  it('counts from the time of the call if there is no date', async () => {
    const installation = await addInstallation(application, 'now');
    const context = contextFor('accounting');
    await application.execute(new RegisterCapacity(context, { installation, capacity: { definitionId, value: '1', registeredOn: '' } }));
    expect(await capacitiesOf(installation)).toMatchObject([{ registered_on: context.time }]);
  });

  it('checks the definition before the date', async () => {
    const installation = await addInstallation(application, 'refused');
    await expect(register(installation, 'soon', 'f'.repeat(24))).rejects.toMatchObject({ code: 'DEFINITION_NOT_FOUND' });
    await expect(register(installation, 'soon')).rejects.toMatchObject({ code: 'CAPACITY_DATE_MALFORMED' });
    expect(await capacitiesOf(installation)).toEqual([]);
  });

  it('is refused for an instant that has a capacity', async () => {
    const installation = await addInstallation(application, 'twice');
    await register(installation, '2024-03-01');
    await expect(register(installation, '2024-03-01T00:00:00Z')).rejects.toMatchObject({ code: 'CAPACITY_TAKEN' });
  });
});

describe('Revising a capacity', () => {
  it('changes only what is given', async () => {
    const installation = await addInstallation(application, 'revised');
    await register(installation, '2024-03-01');
    const [{ id } = { id: '' }] = await capacitiesOf(installation);
    await revise(installation, id.toUpperCase(), { value: '7' });
    expect(await capacitiesOf(installation)).toMatchObject([{ id, value: '7', registered_on: '2024-03-01T00:00:00.000Z' }]);
    await revise(installation, id, { registeredOn: '2024-04-01' });
    expect(await capacitiesOf(installation)).toMatchObject([{ id, value: '7', registered_on: '2024-04-01T00:00:00.000Z' }]);
  });

  it('is refused for the capacity of another installation', async () => {
    const [one, other] = [await addInstallation(application, 'one'), await addInstallation(application, 'other')];
    await register(one, '2024-03-01');
    const [{ id } = { id: '' }] = await capacitiesOf(one);
    await expect(revise(other, id, { value: '7' })).rejects.toMatchObject({ code: 'CAPACITY_NOT_FOUND', details: { capacityId: id } });
  });
});
