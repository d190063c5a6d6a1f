import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

export const NOTIFIED_LEVELS = ['group', 'service', 'endpoint', 'metric'] as const;
export type NotifiedLevel = (typeof NOTIFIED_LEVELS)[number];

/** Which changes of a tenant's statuses become messages of which topic of the messaging service. The project is kept by its id, the others by their names. */
export type NotificationSettings = Readonly<{
  projectId: string;
  topic: string;
  /** Names of reports. Absent: all of them. */
  reports?: readonly string[];
  levels: readonly NotifiedLevel[];
  /** A status that goes on is told again after so many seconds. Absent: it is not. */
  repeatSeconds?: number;
}>;

type OfTenant = Readonly<{ tenantId: string }>;

export type NotificationSettingsEvent =
  /** `epoch`: a new one whenever notifications are turned on after they were off; what was told before then counts no more. */
  | Readonly<{ type: 'StatusNotificationsTurnedOn'; data: OfTenant & NotificationSettings & Readonly<{ epoch: number }> }>
  | Readonly<{ type: 'StatusNotificationsTurnedOff'; data: OfTenant & Readonly<{ epoch: number }> }>;

type NotificationSettingsCommand =
  | (Readonly<{ type: 'TurnOnStatusNotifications'; settings: NotificationSettings }> & OfTenant)
  | (Readonly<{ type: 'TurnOffStatusNotifications' }> & OfTenant);

export const NOTIFICATION_SETTINGS_CATEGORY = 'status.notification_settings';
export const streamOfNotificationSettings = (tenantId: string): string => `${NOTIFICATION_SETTINGS_CATEGORY}-${tenantId}`;

export const notificationSettingsEvents: CatalogueOf<NotificationSettingsEvent> = {
  StatusNotificationsTurnedOn: { resource: none },
  StatusNotificationsTurnedOff: { resource: none },
};

type State = Readonly<{ epoch: number; settings: string | null }>;

const settingsOf = ({ projectId, topic, reports, levels, repeatSeconds }: NotificationSettings): NotificationSettings => ({
  projectId,
  topic,
  ...(reports && { reports }),
  levels,
  ...(repeatSeconds !== undefined && { repeatSeconds }),
});

/** The rules of a tenant's notifications: they are set as a whole, and equal settings change nothing. */
export const notificationSettings: Decider<State, NotificationSettingsCommand, NotificationSettingsEvent> = {
  window: 1,
  initialState: () => ({ epoch: 0, settings: null }),
  decide: (command, state) => {
    const { tenantId } = command;
    if (command.type === 'TurnOffStatusNotifications')
      return state.settings === null ? [] : [{ type: 'StatusNotificationsTurnedOff', data: { tenantId, epoch: state.epoch } }];
    const settings = settingsOf(command.settings);
    if (JSON.stringify(settings) === state.settings) return [];
    const epoch = state.settings === null ? state.epoch + 1 : state.epoch;
    return [{ type: 'StatusNotificationsTurnedOn', data: { tenantId, ...settings, epoch } }];
  },
  evolve: (_state, event) => ({
    epoch: event.data.epoch,
    settings: event.type === 'StatusNotificationsTurnedOn' ? JSON.stringify(settingsOf(event.data)) : null,
  }),
};
