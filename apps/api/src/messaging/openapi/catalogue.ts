import type { Catalogue } from '#api/shared/openapi/described.js';
import { ACCESS_ANSWERS } from './access.js';
import { MEMBERS_ANSWERS } from './members.js';
import { MESSAGES_ANSWERS } from './messages.js';
import { METRICS_ANSWERS } from './metrics.js';
import { PROJECTS_ANSWERS } from './projects.js';
import { REGISTRATIONS_ANSWERS } from './registrations.js';
import { SCHEMAS_ANSWERS } from './schemas.js';
import { SERVICE_ANSWERS } from './service.js';
import { SUBSCRIPTIONS_ANSWERS } from './subscriptions.js';
import { TOPICS_ANSWERS } from './topics.js';
import { USERS_ANSWERS } from './users.js';

export const MESSAGING_CATALOGUE: Catalogue = {
  ...PROJECTS_ANSWERS,
  ...REGISTRATIONS_ANSWERS,
  ...USERS_ANSWERS,
  ...METRICS_ANSWERS,
  ...SERVICE_ANSWERS,
  ...MEMBERS_ANSWERS,
  ...SCHEMAS_ANSWERS,
  ...SUBSCRIPTIONS_ANSWERS,
  ...TOPICS_ANSWERS,
  ...ACCESS_ANSWERS,
  ...MESSAGES_ANSWERS,
};
