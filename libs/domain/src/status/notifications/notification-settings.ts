import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';

export const NOTIFIED_LEVELS = ['group', 'service', 'endpoint', 'metric'] as const;
export type NotifiedLevel = (typeof NOTIFIED_LEVELS)[number];

/** Maps changes of a tenant's statuses to messages of a topic in the messaging service. The project is stored by id, the others by name. */
export type NotificationSettings = Readonly<{
  projectId: string;
  topic: string;
  /** Names of reports. Absent: all reports. */
  reports?: readonly string[];
  levels: readonly NotifiedLevel[];
  /** An unchanged status is announced again after this many seconds. Absent: it is not. */
  repeatSeconds?: number;
}>;

type OfTenant = Readonly<{ tenantId: string }>;

export type NotificationSettingsEvent =
  /** `epoch`: increases whenever notifications are turned on after they were off. Statuses announced in earlier epochs no longer count. */
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

/** The rules of a tenant's notification settings. They are replaced as a whole. Equal settings change nothing. */
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
