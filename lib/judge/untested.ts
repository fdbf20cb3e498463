/** Why a rule is untested in a shard that sends none of its cases. */
export const elsewhere = 'all of its cases are in other shards'

/** Why a rule is untested whose cases, if it has any, met no answer that it judges. */
export const nothingSaid = 'no answer of the run was one that this rule speaks of'
