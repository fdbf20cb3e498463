/** Said first in every report about the embedded service, so that its pass cannot be taken for another's. */
export const embeddedNotice =
  "EMBEDDED REFERENCE SERVICE: this verdict is about the suite's own service, not about yours"
