import { ACCOUNTS_CATEGORY } from '#domain/messaging/accounts/account-events.js';
import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import { RESOURCES_CATEGORY } from '#domain/messaging/resources/resources.js';
import { TRAFFIC_CATEGORY } from '#domain/messaging/traffic/traffic.js';
import { ended, type Mapping, none, streamId, text } from './resource-change.js';

/** A record of the stream of accounts: the member that is its id, and whether the event says its name. */
const account =
  (kind: string, member: string): Mapping =>
  ({ data }) => [{ service: 'messaging', kind, id: text(data, member), ...(typeof data.name === 'string' ? { name: data.name } : {}) }];

/** A record in a project: its stream is that of the project. */
const inProject =
  (kind: string, member: string): Mapping =>
  (event) => {
    const project = streamId(event);
    const { name } = event.data;
    return [
      {
        service: 'messaging',
        kind,
        id: text(event.data, member),
        scope: project,
        ...(typeof name === 'string' ? { name } : {}),
        owners: [{ service: 'messaging', kind: 'project', id: project }],
      },
    ];
  };

const project = account('project', 'projectId');
const user = account('user', 'userId');
const registration = account('registration', 'registrationId');
const topic = inProject('topic', 'topicId');
const subscription = inProject('subscription', 'subscriptionId');
const schema = inProject('schema', 'schemaId');

/** ACLs are no members of topics and subscriptions, nor is what cursors and messages count. */
export const messagingResources: Readonly<Record<string, Readonly<Record<string, Mapping>>>> = {
  [ACCOUNTS_CATEGORY]: {
    ProjectCreated: project,
    ProjectRevised: project,
    ProjectDeleted: ended(project),
    UserCreated: user,
    UserRevised: user,
    UserTokenRefreshed: user,
    UserDeleted: ended(user),
    MemberAdded: user,
    MemberRolesReplaced: user,
    MemberRemoved: user,
    RegistrationSubmitted: registration,
    RegistrationAccepted: registration,
    RegistrationDeclined: registration,
    RegistrationDeleted: ended(registration),
  },
  [RESOURCES_CATEGORY]: {
    TopicCreated: topic,
    TopicDeleted: ended(topic),
    TopicSchemaAttached: topic,
    TopicSchemaDetached: topic,
    TopicAclReplaced: none,
    SubscriptionCreated: subscription,
    SubscriptionDeleted: ended(subscription),
    AckDeadlineModified: subscription,
    PushConfigurationReplaced: subscription,
    PushEndpointVerified: subscription,
    SubscriptionAclReplaced: none,
    SchemaCreated: schema,
    SchemaRevised: schema,
    SchemaDeleted: ended(schema),
  },
  [MESSAGES_CATEGORY]: { MessagePublished: none },
  [CURSORS_CATEGORY]: { BatchDelivered: none, BatchAcknowledged: none, OffsetModified: none },
  [TRAFFIC_CATEGORY]: { TrafficRecorded: none, TopicLogDiscarded: none },
};
