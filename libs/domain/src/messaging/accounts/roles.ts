/** The roles of the messaging service (messaging contract 1.5). Each can be granted in a project or service-wide. */
export const MESSAGING_ROLES = [
  'service_admin',
  'project_admin',
  'publisher',
  'consumer',
  'push_worker',
  'admin_viewer',
  'metrics_viewer',
  'argo_api_authn',
  'register_admin',
  'component_admin',
] as const;

export type MessagingRole = (typeof MESSAGING_ROLES)[number];

export const isMessagingRole = (role: string): role is MessagingRole => MESSAGING_ROLES.some((known) => known === role);
