import fc from 'fast-check'

// Every mutant meets the same examples, so that the score is the same again; that one is caught is all that counts, not the simplest example.
fc.configureGlobal({ seed: 20_240_229, endOnFailure: true })
