import type { ComponentChildren } from 'preact';
import { Facts } from '../../parts/facts.js';
import { counted } from '../../parts/figures.js';
import type { SubscriptionState } from './load.js';
import { topicPlace } from './places.js';
import { settingsFacts } from './settings.js';

const policyOf = (project: string, { deadLetterPolicy: policy }: SubscriptionState['settings']): ComponentChildren =>
  policy ? (
    <>
      to <a href={topicPlace(project, policy.topic)}>{policy.topic}</a> after {counted(policy.maxDeliveryAttempts, 'attempt')}
    </>
  ) : (
    'no policy'
  );

type SettingsProps = Readonly<{ project: string; of: Pick<SubscriptionState, 'settings' | 'ackMode'> }>;

/** Settings of a subscription in words. */
export const Settings = ({ project, of }: SettingsProps) => (
  <>
    <h3>Settings</h3>
    <Facts of={[...settingsFacts(of), ['Dead letters', policyOf(project, of.settings)]]} />
  </>
);
