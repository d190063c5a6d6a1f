import { Injectable } from '@nestjs/common';
import { projectTree } from '#api/accounting/catalogue/tree-views.js';
import type { LongPage } from '#api/accounting/paging.js';
import { joined, mapped } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { BranchQueries } from '#projections/accounting/catalogue/branches.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import type { ProjectDocument } from '#projections/accounting/catalogue/queries.js';
import type { Window } from '#projections/accounting/list-windows.js';

/** Projects in answers, with their providers and installations. */
@Injectable()
export class ProjectTrees {
  constructor(
    private readonly lists: CatalogueLists,
    private readonly branches: BranchQueries,
  ) {}

  /** One after another, separated by commas. */
  content(projects: readonly ProjectDocument[]): Pieces {
    return joined(mapped(this.branches.ofProjects(projects), projectTree));
  }

  /** A page of all projects, in the order of their registration. */
  async page(window: Window): Promise<LongPage> {
    const { content: projects, total } = await this.lists.projects(window);
    return { content: this.content(projects), count: projects.length, total };
  }
}
