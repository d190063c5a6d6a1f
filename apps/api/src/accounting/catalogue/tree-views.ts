import { commaSeparated, joined, mapped, openObject } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import type { Project } from '#domain/accounting/catalogue/catalogue-events.js';
import type { Static } from '#domain/shared/shape.js';
import type { Branch, ProjectBranches } from '#projections/accounting/catalogue/branches.js';
import type { InstallationDocument } from '#projections/accounting/catalogue/queries.js';
import type { ASSOCIATION, PROJECT, TREE_INSTALLATION, TREE_PROVIDER } from '#projections/accounting/components.js';

/** An installation inside a project tree. */
const leafView = (document: InstallationDocument): Static<typeof TREE_INSTALLATION> => {
  const { id, infrastructure, installation, external_id, resource, unit_of_access } = document;
  return { id, infrastructure, installation, external_id, resource: resource ?? undefined, unit_of_access: unit_of_access ?? undefined };
};

/** The installations of a provider in a project, in batches. */
type Leaves = AsyncIterable<readonly InstallationDocument[]>;

/** The array of installations, and the end of the object, of which it is the last member. */
async function* leaves(installations: Leaves): Pieces {
  yield ['['];
  yield* commaSeparated(mapped(installations, (some) => some.map((installation) => JSON.stringify(leafView(installation)))));
  yield [']}'];
}

async function* providerTree({ provider, installations }: Branch): Pieces {
  const { id, name, external_id, website, abbreviation, logo } = provider;
  const head: Omit<Static<typeof TREE_PROVIDER>, 'installations'> = { id, name, external_id, website, abbreviation, logo };
  yield [openObject(head), ',"installations":'];
  yield* leaves(installations());
}

/** Members of a project that every answer has. */
export const projectHead = (project: { id: string } & Project): Omit<Static<typeof PROJECT>, 'providers'> => {
  const { id, acronym, title, start_date, end_date, call_identifier } = project;
  return { id, acronym, title, start_date, end_date, call_identifier };
};

/** A project with its providers and their installations (accounting contract 3.0). */
export async function* projectTree({ project, branches }: ProjectBranches): Pieces {
  yield [openObject(projectHead(project)), ',"providers":['];
  yield* joined(mapped(branches(), providerTree));
  yield [']}'];
}

async function* associationView({ project, provider, installations }: Branch): Pieces {
  const { id, name, website, abbreviation, logo } = provider;
  const of = { project_id: project.id, project_acronym: project.acronym };
  const head: Omit<Static<typeof ASSOCIATION>, 'installations'> = { id, name, website, abbreviation, logo, ...of };
  yield [openObject(head), ',"installations":'];
  yield* leaves(installations());
}

/** Associations of projects and providers, in the form of the list of all of them (accounting contract 3.7). */
export const associationViews = (branches: AsyncIterable<Branch>): Pieces => joined(mapped(branches, associationView));
