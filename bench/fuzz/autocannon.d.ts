/** The part of autocannon that is used here. */
declare module 'autocannon' {
  export default function autocannon(options: {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly headers: Readonly<Record<string, string>>
  }): Promise<{ readonly requests: { readonly average: number } }>
}
