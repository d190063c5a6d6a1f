/** A body that registers an issuer, but for the `issuer`. */
export const OIDC_TENANT = {
  tenant_id: 'tenant',
  client_id: 'client',
  secret: 'very-confidential',
  authorization_path: '/auth',
  introspection_path: '/introspect',
  user_info_path: '/userinfo',
  token_path: '/token',
  auth_server_url: 'https://idp.example.org',
  user_id_token_claim: 'voperson_id',
  service_id_token_claim: 'azp',
  group_management_namespace: 'urn:other',
  group_management_parent: 'usage',
  entitlement_management: 'oidc',
};
