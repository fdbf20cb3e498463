/** An edition of the specification. */
export interface Specification {
  readonly title: string
  /** The version or date that the text gives; null if it gives none. */
  readonly version: string | null
  /** Hash of the bytes of its text, in hexadecimal. */
  readonly sha256: string
}

/** The specification that this suite judges. Its text gives no version or date, so only the hash distinguishes editions. */
export const specification: Specification = {
  title: 'Card-switching and customization service: interface specification',
  version: null,
  sha256: 'a7aa3116c455f8bae71f5d54f6ab3eae0e13338ebbcc310e3cf99c8c37434416',
}
