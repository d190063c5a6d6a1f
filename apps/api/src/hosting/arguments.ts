const OPTION = '--roles';

/** What `--roles <roles>` or `--roles=<roles>` says, which counts in place of `LOGBOOK_ROLES`. An option without roles is an invalid one. */
export const rolesIn = (given: readonly string[]): string | undefined => {
  const at = given.findIndex((one) => one === OPTION || one.startsWith(`${OPTION}=`));
  if (at < 0) return undefined;
  const roles = given[at] === OPTION ? given[at + 1] : given[at]?.slice(OPTION.length + 1);
  return roles || 'none';
};
