/** An edition of the specification. */
export interface Specification {
  readonly title: string
  /** The version or date stated in its text; null if there is none. */
  readonly version: string | null
  /** The hash of the bytes of its text, in hexadecimal. */
  readonly sha256: string
}

/** The specification against which this suite judges. Its text states no version or date, so only the hash distinguishes editions. */
export const specification: Specification = {
  title: 'Card-switching and customization service: interface specification',
  version: null,
  sha256: 'a7aa3116c455f8bae71f5d54f6ab3eae0e13338ebbcc310e3cf99c8c37434416',
}
