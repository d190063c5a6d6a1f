import type { AccountingCaller } from '#api/accounting/access/caller.js';
import { READERS } from '#api/accounting/access/permissions.js';
import { covers, type Entitlement } from '#domain/accounting/access/entitlements.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { catalogueCollections, type InstallationDocument, placeInProject } from '#projections/accounting/catalogue/catalogue-documents.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { type CatalogueReader, ofProject, ofProvider } from './catalogue-reader.js';

/** Sources whose installations are counted at a time. */
const COUNTED_AT_ONCE = 64;

/** Installations that stand side by side in a collection. */
export type InstallationSource = Readonly<{ collection: string; range: KeyRange }>;

const { installationsOfProject, installationsOfProvider } = catalogueCollections;
const EVERYTHING: readonly InstallationSource[] = [{ collection: installationsOfProject, range: {} }];

const REPRESENTATIVES = ['roles', 'provider'];

const seesEverything = (caller: AccountingCaller): boolean =>
  caller.isSystemAdministrator || covers(caller.entitlements, READERS, []) || covers(caller.entitlements, READERS, REPRESENTATIVES);

/** Distinct sources by the key they are known under, so that what lies in a wider one can be left out. */
type Sources = Readonly<{
  /** By project id. */
  projects: Map<string, InstallationSource>;
  /** By project id and provider id. */
  providers: Map<string, InstallationSource & Readonly<{ projectId: string }>>;
  installations: Map<string, InstallationSource & Readonly<{ document: InstallationDocument }>>;
}>;

const pairOf = (projectId: string, providerId: string): string => JSON.stringify([projectId, providerId]);

const addProvider = async (reader: CatalogueReader, { providers }: Sources, projectId: string, providerId: string): Promise<void> => {
  const project = await reader.findProject(projectId);
  if (!project) return;
  const source = { collection: installationsOfProvider, range: ofProvider(project, providerId), projectId };
  providers.set(pairOf(projectId, providerId), source);
};

const add = async (reader: CatalogueReader, sources: Sources, { segments }: Entitlement, slice: TimeSlice): Promise<void> => {
  const [first = '', second, third, ...more] = segments;
  if (more.length > 0) return;
  if (first === 'roles') {
    if (second === 'provider' && third !== undefined)
      for await (const projectIds of reader.projectsWith(third))
        for (const projectId of projectIds) {
          await addProvider(reader, sources, projectId, third);
          if (slice.isOver) await slice.next();
        }
  } else if (third !== undefined) {
    const document = await reader.findInstallation(third);
    if (document?.project !== first || document.organisation !== second) return;
    const place = placeInProject(document);
    sources.installations.set(document.id, { collection: installationsOfProject, range: { gte: place, lte: place }, document });
  } else if (second !== undefined) await addProvider(reader, sources, first, second);
  else {
    const project = await reader.findProject(first);
    if (project) sources.projects.set(first, { collection: installationsOfProject, range: ofProject(project) });
  }
};

/** Where the installations stand that the caller may read: no installation in two of them; in the order of their projects. */
export const installationSources = async (reader: CatalogueReader, caller: AccountingCaller): Promise<readonly InstallationSource[]> => {
  if (seesEverything(caller)) return EVERYTHING;
  const sources: Sources = { projects: new Map(), providers: new Map(), installations: new Map() };
  const slice = new TimeSlice();
  for (const entitlement of caller.entitlements)
    if (READERS.some((role) => role === entitlement.role)) {
      await add(reader, sources, entitlement, slice);
      if (slice.isOver) await slice.next();
    }
  const { projects, providers, installations } = sources;
  const disjoint: readonly InstallationSource[] = [
    ...projects.values(),
    ...[...providers.values()].filter(({ projectId }) => !projects.has(projectId)),
    ...[...installations.values()].filter(
      ({ document: { project, organisation } }) => !projects.has(project) && !providers.has(pairOf(project, organisation)),
    ),
  ];
  return disjoint.toSorted((a, b) => ((a.range.gte ?? '') < (b.range.gte ?? '') ? -1 : 1));
};

/** The installations of the sources, one source after another, from the given place on; and how many there are in all. */
export const installationsIn = async (
  reader: CatalogueReader,
  sources: readonly InstallationSource[],
  { offset, limit }: Readonly<{ offset: number; limit: number }>,
): Promise<Readonly<{ documents: readonly InstallationDocument[]; total: number }>> => {
  const slice = new TimeSlice();
  const counts: number[] = [];
  for (let start = 0; start < sources.length; start += COUNTED_AT_ONCE) {
    const some = sources.slice(start, start + COUNTED_AT_ONCE);
    counts.push(...(await Promise.all(some.map(({ collection, range }) => reader.catalogue.count(collection, range)))));
    if (slice.isOver) await slice.next();
  }
  const documents: InstallationDocument[] = [];
  let skip = offset;
  for (const [index, { collection, range }] of sources.entries()) {
    const count = counts[index] ?? 0;
    if (skip < count && documents.length < limit)
      documents.push(...(await reader.installationsIn(collection, { ...range, offset: skip, limit: limit - documents.length })));
    skip = Math.max(0, skip - count);
  }
  return { documents, total: counts.reduce((sum, count) => sum + count, 0) };
};
