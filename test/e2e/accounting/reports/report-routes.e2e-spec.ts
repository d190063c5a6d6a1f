import { beforeAll, describe, expect, it } from '@jest/globals';
import { fresh, records } from '#test/e2e/accounting/records.js';
import { type AccountingServing, accountingServing, expectMessage, FORBIDDEN } from '#test/e2e/accounting/serving.js';
import { embedded } from '#test/support/deployments.js';

const BAD_DATE = 'Valid date format is yyyy-MM-dd.';
const BAD_RANGE = 'Start date must be before or equal to end date.';
const MARCH = 'start=2021-03-01&end=2021-04-01';

/** How each route names its subject, and its answer about an unknown one. */
type Route = Readonly<{
  path: (names: Names) => string;
  /** The same with something that is not there, and the error. */
  unknown: readonly (readonly [path: (names: Names) => string, message: string])[];
  /** Open to representatives of the provider alone: parameters are checked before permission. */
  representative?: true;
  /** The query names the subject: parameters are checked before existence and permission. */
  external?: string;
  ordered?: false;
}>;
type Names = Readonly<{ project: string; provider: string; installation: string; externalInstallation: string; externalProvider: string }>;

const noProject = 'There is no Project with the following id: nosuch';
const noProvider = 'There is no Provider with the following id: nosuch';
const noExternalProvider = 'There is no Provider with external id: nosuch';

const routes: Readonly<Record<string, Route>> = {
  installation: {
    path: ({ installation }) => `/installations/${installation}/report?`,
    unknown: [[() => '/installations/nosuch/report?', 'There is no Installation with the following id: nosuch']],
  },
  'external installation': {
    path: ({ externalInstallation }) => `/installations/external/report?externalId=${externalInstallation}&`,
    unknown: [[() => '/installations/external/report?externalId=nosuch&', 'There is no Installation with external id: nosuch']],
    external: 'externalId',
  },
  provider: {
    path: ({ project, provider }) => `/projects/${project}/providers/${provider}/report?`,
    unknown: [
      [({ provider }) => `/projects/nosuch/providers/${provider}/report?`, noProject],
      [() => '/projects/nosuch/providers/nosuch/report?', noProject],
      [({ project }) => `/projects/${project}/providers/nosuch/report?`, noProvider],
    ],
  },
  'external provider': {
    path: ({ project, externalProvider }) => `/projects/${project}/providers/external/report?externalProviderId=${externalProvider}&`,
    unknown: [
      [() => '/projects/nosuch/providers/external/report?externalProviderId=nosuch&', noProject],
      [({ project }) => `/projects/${project}/providers/external/report?externalProviderId=nosuch&`, noExternalProvider],
    ],
    external: 'externalProviderId',
  },
  'external provider of the seed in a project': {
    path: ({ project, externalProvider }) => `/providers/external/report?externalId=${externalProvider}&project_id=${project}&`,
    unknown: [
      [() => '/providers/external/report?externalId=nosuch&project_id=nosuch&', noProject],
      [({ project }) => `/providers/external/report?externalId=nosuch&project_id=${project}&`, noExternalProvider],
    ],
    external: 'externalId',
  },
  'external provider of the seed': {
    path: ({ externalProvider }) => `/providers/external/report?externalId=${externalProvider}&`,
    unknown: [[() => '/providers/external/report?externalId=nosuch&', noExternalProvider]],
    representative: true,
    external: 'externalId',
  },
  'provider everywhere': {
    path: ({ provider }) => `/providers/${provider}/report?`,
    unknown: [[() => '/providers/nosuch/report?', noProvider]],
    representative: true,
  },
  'external provider everywhere': {
    path: ({ externalProvider }) => `/providers/report/external?externalId=${externalProvider}&`,
    unknown: [[() => '/providers/report/external?externalId=nosuch&', 'There is no Provider with external id : nosuch']],
    representative: true,
    external: 'externalId',
  },
  project: {
    path: ({ project }) => `/projects/${project}/report?`,
    unknown: [[() => '/projects/nosuch/report?', noProject]],
  },
  ...Object.fromEntries(
    ['groups', 'users'].flatMap((kind) =>
      ['', '/projects'].map((doubled): [string, Route] => [
        `${kind}${doubled}`,
        {
          path: ({ project }) => `/projects${doubled}/${project}/${kind}/g/report?`,
          unknown: [[() => `/projects${doubled}/nosuch/${kind}/g/report?`, noProject]],
          ordered: false,
        },
      ]),
    ),
  ),
};

describe('routes of reports', () => {
  const scene: AccountingServing = accountingServing(embedded);
  const make = records(() => scene.admin);
  let names: Names;
  beforeAll(async () => {
    await scene.trustTokens();
    const [project, externalProvider] = [await make.project(), fresh('external')];
    const provider = await make.provider(fresh('provider'), { external_id: externalProvider });
    await make.associate(project, provider);
    const { id, external_id } = await make.installation(project, provider);
    names = { project, provider, externalProvider, installation: `${id}`, externalInstallation: `${external_id}` };
  });

  describe.each(Object.entries(routes))('%s', (_name, { path, unknown, representative, external, ordered }) => {
    it.each([
      ['', 'start may not be empty.'],
      ['start=&end=2021-04-01', 'start may not be empty.'],
      ['start=2021-03-01', 'end may not be empty.'],
      ['start=2021-03-01&end=', 'end may not be empty.'],
      ['start=x', BAD_DATE],
      ['start=x&end=', BAD_DATE],
      ['start=2021-03-01&end=x', BAD_DATE],
      ['start=2021-02-30&end=2021-04-01', BAD_DATE],
      ['start=2021-03-01&end=2021-04-31', BAD_DATE],
      ['start=2021-3-1&end=2021-04-01', BAD_DATE],
      ['start=2021-03-01T00:00:00Z&end=2021-04-01', BAD_DATE],
      ['start=01-03-2021&end=2021-04-01', BAD_DATE],
    ])('refuses %j', async (query, message) => expectMessage(await scene.admin.get(path(names) + query), 400, message));

    it('requires the days in order', async () => {
      const answer = await scene.admin.get(`${path(names)}start=2021-03-02&end=2021-03-01`);
      if (ordered === false) expect(answer.status).toBe(200);
      else expectMessage(answer, 400, BAD_RANGE);
      expect((await scene.admin.get(`${path(names)}start=2021-03-01&end=2021-03-01`)).status).toBe(200);
    });

    it('answers 404 before or after it checks the parameters, as the contract has it', async () => {
      for (const [pathOf, message] of unknown) {
        expectMessage(await scene.admin.get(pathOf(names) + MARCH), 404, message);
        const both = await scene.admin.get(pathOf(names));
        if (external === undefined) expectMessage(both, 404, message);
        else expectMessage(both, 400, 'start may not be empty.');
      }
    });

    it('checks the external id first', async () => {
      if (external === undefined) return;
      const [base] = path(names).split('?');
      expectMessage(await scene.admin.get(`${base}`), 400, `${external} may not be empty.`);
      expectMessage(await scene.admin.get(`${base}?${external}=`), 400, `${external} may not be empty.`);
    });

    it('answers 403 before or after it checks the parameters, as the contract has it', async () => {
      const answer = await (await scene.caller('n')).get(path(names));
      if (external !== undefined || representative) expectMessage(answer, 400, 'start may not be empty.');
      else expectMessage(answer, 403, FORBIDDEN);
    });
  });
});
