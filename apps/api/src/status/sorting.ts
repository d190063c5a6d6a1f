/** An order by text members, the first of them that differs. */
export const byMembers =
  <K extends string>(...members: readonly K[]) =>
  (left: Readonly<Record<K, string>>, right: Readonly<Record<K, string>>): number => {
    const differing = members.find((member) => left[member] !== right[member]);
    if (differing === undefined) return 0;
    return left[differing] < right[differing] ? -1 : 1;
  };
