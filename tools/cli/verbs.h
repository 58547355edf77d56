// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tools/cli/verb.h"

namespace commtap {

// The verbs of commtap, each defined in the cmd_VERB.cc of its room.
Verb adviseVerb();
Verb buildTrackerVerb();
Verb checkVerb();
Verb completionVerb();
Verb demoVerb();
Verb diffVerb();
Verb doctorVerb();
Verb envVerb();
Verb exportVerb();
Verb helpVerb();
Verb htmlVerb();
Verb listVerb();
Verb optionsVerb();
Verb planVerb();
Verb pruneVerb();
/// Does not return after it has run the command.
Verb runVerb();
Verb serveVerb();
Verb showVerb();
Verb topVerb();
Verb verifyVerb();
Verb whyVerb();

} // namespace commtap
