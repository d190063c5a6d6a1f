import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { addDefinition } from '#test/support/accounting/accounting-records.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { ReviseMetricDefinition } from './definition-commands.js';
import { typeCommands } from './type-commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const context = () => contextFor('accounting');
const addUnit = (value: string) =>
  application.execute(new typeCommands.unit.add(context(), { creatorId: 'spec', value, description: 'of something' }));

describe('Changing a type', () => {
  it('resolves with the type as it is now, changed or not', async () => {
    const { typeId } = (await addUnit('ell')).record;
    const revise = (changes: object) => application.execute(new typeCommands.unit.revise(context(), { typeId, changes }));
    expect((await revise({ description: 'an arm' })).record).toMatchObject({
      typeId,
      value: 'ell',
      description: 'an arm',
      creatorId: 'spec',
    });
    expect((await revise({})).record).toMatchObject({ value: 'ell', creatorId: 'spec' });
    const before = { typeId, value: 'ell', description: '', creatorId: 'spec', order: '' };
    jest.spyOn(DefinitionQueries.prototype, 'type').mockResolvedValueOnce(before);
    expect((await revise({ description: 'an arm' })).record).toMatchObject({ description: 'an arm' });
    jest.restoreAllMocks();
  });

  it('is refused for a type of the other kind', async () => {
    const { typeId } = (await addUnit('furlong')).record;
    await expect(application.execute(new typeCommands.metric.revise(context(), { typeId, changes: { value: 'x' } }))).rejects.toMatchObject(
      {
        code: 'TYPE_NOT_FOUND',
        details: { kind: 'metric', typeId },
      },
    );
  });
});

describe('Changing a metric definition', () => {
  it('resolves with the definition as it is now, with its creator', async () => {
    const id = await addDefinition(application, 'changing');
    const command = new ReviseMetricDefinition(context(), { definitionId: id.toUpperCase(), changes: { metric_description: 'new' } });
    const expected = { metric_definition_id: id, metric_name: 'changing', metric_description: 'new', creator_id: 'spec' };
    const before = await application.get(DefinitionQueries).definition(id);
    expect((await application.execute(command)).record).toMatchObject(expected);
    expect((await application.get(DefinitionQueries).definition(id))?.document).toMatchObject({ metric_description: 'new' });
    jest.spyOn(DefinitionQueries.prototype, 'definition').mockResolvedValueOnce(before);
    expect((await application.execute(command)).record).toMatchObject(expected);
    jest.restoreAllMocks();
  });
});
