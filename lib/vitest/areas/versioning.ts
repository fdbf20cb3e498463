import { testRules } from '../rules.ts'

testRules('versioning')
