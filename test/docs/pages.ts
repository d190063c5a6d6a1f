/** Number of words of a page; bars and rulers of tables are none. */
export const wordCount = (markdown: string): number => markdown.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
