/** Input of the user's that cannot be used: a command ends in 2 with the message, which says what is wrong. */
export class UnusableInput extends Error {
  override readonly name: string = 'UnusableInput'
}
