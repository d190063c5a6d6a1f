import { requireSize } from '#domain/accounting/limits.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CatalogueCommand, CatalogueState, ProjectRegistration } from './catalogue-commands.js';
import type { CatalogueEvent, Project } from './catalogue-events.js';

/** Copies only the members of a project. */
export const projectOf = ({ acronym, title, start_date, end_date, call_identifier }: Project): Project => ({
  acronym,
  title,
  start_date,
  end_date,
  call_identifier,
});
const PROJECT_MEMBERS = ['acronym', 'title', 'start_date', 'end_date', 'call_identifier'] as const satisfies readonly (keyof Project)[];
const sameProject = (a: Project, b: Project): boolean => PROJECT_MEMBERS.every((member) => a[member] === b[member]);

const registered = (state: CatalogueState, project: ProjectRegistration): CatalogueEvent => {
  const { projectId, creatorId } = project;
  const generation = (state.generations.get(projectId) ?? 0) + 1;
  return { type: 'ProjectRegistered', data: { projectId, generation, creatorId, ...projectOf(project) } };
};

type ProjectRegistryCommand = Extract<
  CatalogueCommand,
  { type: 'RegisterProject' | 'AdoptProjects' | 'ReviseProject' | 'DeleteProject' | 'RequireProject' }
>;

export const decideProject = (command: ProjectRegistryCommand, state: CatalogueState): readonly CatalogueEvent[] => {
  switch (command.type) {
    case 'RegisterProject': {
      const { projectId } = command.project;
      if (command.known) throw new DomainError('PROJECT_OF_CATALOGUE', { projectId });
      if (state.projects.has(projectId)) throw new DomainError('PROJECT_TAKEN', { projectId });
      requireSize({ projectId, ...projectOf(command.project) });
      return [registered(state, command.project)];
    }
    case 'AdoptProjects': {
      const byId = new Map(command.projects.map((project) => [project.projectId, project]));
      return [...byId.values()].filter(({ projectId }) => !state.projects.has(projectId)).map((project) => registered(state, project));
    }
    case 'ReviseProject': {
      const { projectId, changes } = command;
      const before = state.projects.get(projectId);
      if (!before) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      const after = projectOf({ ...before, ...changes });
      requireSize({ projectId, ...after }, { projectId, ...before });
      return sameProject(before, after) ? [] : [{ type: 'ProjectRevised', data: { projectId, ...after } }];
    }
    case 'DeleteProject': {
      const { projectId } = command;
      if (!state.projects.has(projectId)) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      return [{ type: 'ProjectDeleted', data: { projectId } }];
    }
    case 'RequireProject': {
      const { projectId, generation } = command;
      const exists = state.projects.has(projectId) && state.generations.get(projectId) === generation;
      if (!exists) throw new DomainError('PROJECT_NOT_FOUND', { projectId });
      return [];
    }
  }
};
