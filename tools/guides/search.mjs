/** How sections of pages are indexed: the build writes the index, and the page of the search reads it. */
export const INDEX = { fields: ['heading', 'page', 'text'], storeFields: ['heading', 'page'] };

/** Each word may be the beginning of one that is meant, or have a mistake; words of headings count most. */
export const QUERY = { combineWith: 'AND', prefix: true, fuzzy: 0.2, boost: { heading: 4, page: 2 } };
