/** Thrown for unusable input from the user. The command prints the message and exits with 2. */
export class UnusableInput extends Error {
  override readonly name: string = 'UnusableInput'
}
