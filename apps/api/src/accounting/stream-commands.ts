import { toStreams } from '#api/shared/commands/handlers.js';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';

/** Target of commands: the stream of all projects, providers and resources. */
export const toCatalogue = toStreams(catalogue, () => CATALOGUE_STREAM);

const ofProject = toStreams(projectContents, ({ projectId }) => projectStream(projectId));

/**
 * Target of commands: the stream of the project, with its associations and installations. A project registered again starts empty, so that a key
 * used in an earlier registration is new.
 */
export const toProject: typeof ofProject = (context, command) => {
  const { idempotency } = context;
  const generation = 'generation' in command ? command.generation : 1;
  if (!idempotency || generation === 1) return ofProject(context, command);
  return ofProject({ ...context, idempotency: { ...idempotency, key: `${idempotency.key}.${generation}` } }, command);
};
