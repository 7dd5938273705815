package dev.cove.egress.group;

import dev.cove.model.ProjectName;

/** Which group is meant: two projects may call theirs the same and have nothing to do with it. */
record GroupId(ProjectName project, String name) {}
