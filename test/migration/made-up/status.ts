import { join } from 'node:path';
import { dayAt, exportFile, ObjectIds } from './export-file.js';
import type { Random } from './random.js';
import { type Size, usersOf } from './size.js';
import { type MadeTenant, makeTenantData } from './tenant-data.js';

export const ADMINISTRATOR_KEY = 'made-up-administrator';

/** Tenants of the status service with their users; user 0 of each is its administrator. */
const makeTenants = (size: Size, random: Random, ids: ObjectIds): readonly MadeTenant[] => {
  const users = Math.ceil(usersOf(size).status / size.tenants);
  return Array.from({ length: size.tenants }, (_, index) => ({
    _id: ids.make(),
    id: random.uuid(),
    info: {
      name: `T${index}`,
      email: `t${index}@example.org`,
      description: '',
      image: '',
      website: '',
      created: `${dayAt(index).date} 10:00:00`,
      updated: `${dayAt(index + 1).date} 10:00:00`,
    },
    db_conf: [{ store: 'main', server: 'localhost', port: 27_017, database: `argo_T${index}`, username: '', password: '' }],
    topology: { type: 'GOCDB', feed: '' },
    users: Array.from({ length: users }, (_, number) => ({
      id: random.uuid(),
      name: `user-${number}`,
      email: `user-${number}@t${index}.example.org`,
      api_key: random.hex(64),
      roles: [number === 0 ? 'admin' : 'viewer'],
      ...(number === 1 ? { component: 'component_engine' } : {}),
    })),
    ready: {
      data: { ready: true, message: '' },
      topology: { ready: index % 2 === 0, message: 'made up' },
      reports: { ready: true, message: '' },
      last_check: `${dayAt(index).date}T10:00:00Z`,
    },
    node: index === 0,
  }));
};

/** A made-up export of the status service: the core database and one of each tenant. @returns tenants, and documents by collection */
export const makeStatus = async (
  root: string,
  size: Size,
  random: Random,
): Promise<Readonly<{ tenants: readonly MadeTenant[]; documents: Readonly<Record<string, number>> }>> => {
  const ids = new ObjectIds(3);
  const core = join(root, 'status', 'argo_core');
  const tenants = makeTenants(size, random, ids);
  const administrators = [
    { _id: ids.make(), api_key: ADMINISTRATOR_KEY, name: 'root', email: 'root@example.org', restricted: false, super_admin_ui: false },
    { _id: ids.make(), api_key: 'made-up-engine', name: 'engine', component: 'component_engine' },
  ];
  const metrics = Array.from({ length: 20 }, (_, index) => ({ _id: ids.make(), name: `metric.${index}`, tags: ['network'] }));
  const documents: Record<string, number> = {
    tenants: await exportFile(core, 'tenants', tenants),
    authentication: await exportFile(core, 'authentication', administrators),
    monitoring_metrics: await exportFile(core, 'monitoring_metrics', metrics),
  };
  for (const [index, tenant] of tenants.entries()) {
    const made = await makeTenantData(join(root, 'status', `argo_T${index}`), tenant, { size, random, ids: new ObjectIds(100 + index) });
    for (const [collection, count] of Object.entries(made)) documents[collection] = (documents[collection] ?? 0) + count;
  }
  return { tenants, documents };
};
