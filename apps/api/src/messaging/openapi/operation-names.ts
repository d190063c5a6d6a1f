import type { OperationNames } from '#api/shared/openapi/operation-names.js';

const PROJECT = '/v1/projects/{project}';
const MEMBER = `${PROJECT}/members/{user}`;
const TOPIC = `${PROJECT}/topics/{topic}`;
const SUBSCRIPTION = `${PROJECT}/subscriptions/{subscription}`;
const SCHEMA = `${PROJECT}/schemas/{schema}`;
const REGISTRATION = '/v1/registrations/{uuid}';

/** Operation ids of the messaging service. */
export const MESSAGING_NAMES: OperationNames = {
  '/v1/projects': { get: 'listMessagingProjects' },
  [PROJECT]: {
    get: 'getMessagingProject',
    post: 'createMessagingProject',
    put: 'updateMessagingProject',
    delete: 'deleteMessagingProject',
  },
  [`${PROJECT}:metrics`]: { get: 'getMessagingProjectMetrics' },
  [`${PROJECT}/members`]: { get: 'listProjectMembers' },
  [MEMBER]: { get: 'getProjectMember', post: 'createProjectMember', put: 'updateProjectMember' },
  [`${MEMBER}:add`]: { post: 'addProjectMember' },
  [`${MEMBER}:remove`]: { post: 'removeProjectMember' },
  '/v1/registrations': { get: 'listRegistrations', post: 'submitRegistration' },
  [REGISTRATION]: { get: 'getRegistration', delete: 'deleteRegistration' },
  [`${REGISTRATION}:accept`]: { post: 'acceptRegistration' },
  [`${REGISTRATION}:decline`]: { post: 'declineRegistration' },
  '/v1/users': { get: 'listUsers' },
  '/v1/users/profile': { get: 'getOwnUser' },
  '/v1/users/usageReport': { get: 'getOwnUsageReport' },
  '/v1/users/{user}': { get: 'getUser', post: 'createUser', put: 'updateUser', delete: 'deleteUser' },
  '/v1/users/{user}:refreshToken': { post: 'refreshUserToken' },
  '/v1/users:byToken/{token}': { get: 'getUserByToken' },
  '/v1/users:byUUID/{uuid}': { get: 'getUserByUuid' },
  [`${PROJECT}/topics`]: { get: 'listTopics' },
  [TOPIC]: { get: 'getTopic', put: 'createTopic', delete: 'deleteTopic' },
  [`${TOPIC}/subscriptions`]: { get: 'listTopicSubscriptions' },
  [`${TOPIC}:publish`]: { post: 'publishMessages' },
  [`${TOPIC}:acl`]: { get: 'getTopicAcl' },
  [`${TOPIC}:modifyAcl`]: { post: 'modifyTopicAcl' },
  [`${TOPIC}:metrics`]: { get: 'getTopicMetrics' },
  [`${TOPIC}:attachSchema`]: { post: 'attachTopicSchema' },
  [`${TOPIC}:detachSchema`]: { post: 'detachTopicSchema' },
  [`${PROJECT}/subscriptions`]: { get: 'listSubscriptions' },
  [SUBSCRIPTION]: { get: 'getSubscription', put: 'createSubscription', delete: 'deleteSubscription' },
  [`${SUBSCRIPTION}:pull`]: { post: 'pullMessages' },
  [`${SUBSCRIPTION}:acknowledge`]: { post: 'acknowledgeMessages' },
  [`${SUBSCRIPTION}:modifyAckDeadline`]: { post: 'modifyAckDeadline' },
  [`${SUBSCRIPTION}:offsets`]: { get: 'getSubscriptionOffsets' },
  [`${SUBSCRIPTION}:modifyOffset`]: { post: 'modifySubscriptionOffset' },
  [`${SUBSCRIPTION}:timeToOffset`]: { get: 'getOffsetByTime' },
  [`${SUBSCRIPTION}:acl`]: { get: 'getSubscriptionAcl' },
  [`${SUBSCRIPTION}:modifyAcl`]: { post: 'modifySubscriptionAcl' },
  [`${SUBSCRIPTION}:modifyPushConfig`]: { post: 'modifyPushConfig' },
  [`${SUBSCRIPTION}:verifyPushEndpoint`]: { post: 'verifyPushEndpoint' },
  [`${SUBSCRIPTION}:metrics`]: { get: 'getSubscriptionMetrics' },
  [`${PROJECT}/schemas`]: { get: 'listSchemas' },
  [SCHEMA]: { get: 'getSchema', post: 'createSchema', put: 'updateSchema', delete: 'deleteSchema' },
  [`${SCHEMA}:validate`]: { post: 'validateMessage' },
  '/v1/metrics': { get: 'getMessagingNodeMetrics' },
  '/v1/metrics/va_metrics': { get: 'getUsageReport' },
  '/v1/status': { get: 'getMessagingStatus' },
  '/v1/version': { get: 'getMessagingVersion' },
};
